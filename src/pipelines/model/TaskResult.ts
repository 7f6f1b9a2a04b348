// What reading one task's window produced. What becomes of it (loaded, empty, suspicious, quarantined, …) is decided
// in run/task/outcome.ts alone.
import type { ApiError } from "../../domain/wire/errors.ts"
import type { CoveredDays } from "../../domain/run/outcome.ts"
import type { ArchivedResponse } from "../../domain/wire/response.ts"
import type { Rows } from "../../domain/table/table.ts"
import type { DayRange } from "../../extract/paginators/dateWindow.ts"
import type { Drift, RejectedRecord, Violation } from "../../domain/wire/violation.ts"

export type GapReason = "quarantined" | "failed" | "truncated" | "unreachable" | "tie"

/** A range of a series known to be missing, microseconds since 1970 UTC, both ends included. */
export interface GapNote {
  readonly fromAt: number
  readonly toAt: number
  /** Where the partition has several series, the key of this one; else the partition's. */
  readonly entity?: string
  readonly reason: GapReason
  readonly state: "open" | "closed" | "permanent"
  readonly detail: string
}

/** What one task read; its rows and its cursor commit in one transaction. */
export interface TaskResult {
  /** Name of the window, part of the task's identity; the days it covers are in `covers`. */
  readonly window: string
  /** Series (mart.series) that was read; absent if there is none, or if it is all that the pipeline reads. */
  readonly series?: string
  /** Days of the series that were requested, whatever the result. */
  readonly covers?: CoveredDays
  /** The days that later runs read again from an open gap, should the warehouse refuse the rows. */
  readonly gapIfRefused?: DayRange
  readonly rows: ReadonlyArray<Rows>
  readonly responses: ReadonlyArray<ArchivedResponse>
  readonly requests: number
  readonly cursor?: { readonly entity: string; readonly value: unknown }
  readonly gaps?: ReadonlyArray<GapNote>
  readonly drift?: ReadonlyArray<Drift>
  /** Records that broke the contract: quarantined one by one, while the others land. */
  readonly rejected?: ReadonlyArray<Rejected>
  readonly error?: ApiError
  /** Earlier runs had rows for this window, so that an empty response is suspicious. */
  readonly hadRows?: boolean
  readonly warning?: string
}

export interface Rejected extends Violation, Pick<RejectedRecord, "isRepeated"> {
  readonly responseId: string
}
