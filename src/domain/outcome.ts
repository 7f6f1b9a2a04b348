// What became of a task, and what a batch carries from the pipelines to the loader.
import type { Claim } from "./claim.ts"
import type { Rows } from "./table.ts"
import type { TaskVault } from "./vault.ts"

/** As decided before the commit, which turns `landed` into `loaded` or `unchanged`. */
export type Outcome =
  | "landed"
  | "empty"
  | "suspicious_empty"
  | "unsupported"
  | "skipped"
  | "deferred"
  | "quarantined"
  | "failed"

export type RecordedOutcome = Exclude<Outcome, "landed"> | "loaded" | "unchanged"

/** `loaded` where the commit added or revised a row. */
export const recordedOutcome = (
  outcome: Outcome,
  { inserted, revised }: Pick<Committed, "inserted" | "revised">,
): RecordedOutcome =>
  outcome === "landed" ? (inserted + revised > 0 ? "loaded" : "unchanged") : outcome

/** Whether the task must be repeated: a run with such an outcome is `partial`. */
export const isFailure = (outcome: RecordedOutcome): boolean =>
  outcome === "failed" || outcome === "quarantined"

/** Days (since 1970, inclusive) that a request covered; without `from`, everything up to `to`. */
export interface CoveredDays {
  readonly from: number | undefined
  readonly to: number
}

/** One pipeline × partition × window: the unit that lands or fails on its own. */
export interface TaskRecord {
  readonly pipeline: string
  /** Key of the partition: vault address, subaccount, … or `-` where the pipeline has one partition only. */
  readonly entity: string
  /** Set where the partition is a vault. */
  readonly vault?: TaskVault
  /** What was read of the partition, for example `2026-01-01..2026-02-10`; part of the task's identity. */
  readonly window: string
  /** The requested series (mart.series); absent where it is none, or all that the pipeline reads. */
  readonly series?: string
  /** The days of the window, for a series. */
  readonly covers?: CoveredDays
  readonly outcome: Outcome
  readonly requests: number
  readonly seconds: number
  readonly errorTag?: string
  readonly errorText?: string
}

/** Where the next run of a partition begins; JSON that only its pipeline reads. */
export interface CursorUpdate {
  readonly pipeline: string
  readonly entity: string
  readonly cursor: unknown
}

/**
 * Everything one transaction commits: rows, the cursor they move, the task's record and the
 * bookkeeping that belongs to it (archive index, gaps, quarantine, drift).
 */
export interface Batch {
  /** Absent in a replay, which sends no requests. */
  readonly task?: TaskRecord
  readonly rows: ReadonlyArray<Rows>
  readonly cursor?: CursorUpdate
  readonly bookkeeping: ReadonlyArray<Rows>
  /** The run that the rows' lineage names; without it, the current run. */
  readonly runId?: string
  /** Where several processes read a run: nothing is committed unless this claim is still valid. */
  readonly claim?: Claim
}

/** What a committed batch changed, as the database counts it. */
export interface Committed {
  readonly inserted: number
  readonly revised: number
  readonly unchanged: number
}
