// What a pipeline is to the runner: for each vault, a stream of steps, each of which lands on its own.
import type * as Stream from "effect/Stream"
import type { ApiError } from "../domain/errors.ts"
import type { Outcome } from "../domain/outcome.ts"
import type { ArchivedResponse } from "../domain/response.ts"
import type { Rows, Table } from "../domain/table.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Drift } from "../domain/violation.ts"
import type { ApiClient } from "../extract/ApiClient.ts"
import type { ArchiveError } from "../extract/ResponseArchive.ts"
import type { ApySeries } from "../transform/tables/transparency/apy_history.ts"

/** What a run was asked for; the same for all its pipelines. */
export interface RunSettings {
  /** Days since 1970, inclusive. */
  readonly since: number | undefined
  readonly until: number | undefined
  /** Read everything again, whatever the cursors say. */
  readonly full: boolean
  readonly overlapDays: number
  readonly timeFields: ReadonlyArray<string>
  readonly apySeries: ReadonlyArray<ApySeries>
}

export interface RunContext extends RunSettings {
  readonly today: number
  readonly now: number
}

export type GapReason = "quarantined" | "failed" | "truncated" | "unreachable"

/** A range of a series known to be missing, in days since 1970 or to the microsecond. */
export interface GapNote {
  readonly fromAt: number
  readonly toAt: number
  readonly reason: GapReason
  readonly state: "open" | "closed" | "permanent"
  readonly detail: string
}

/** One window of one entity, read and mapped: commits as one transaction with its cursor. */
export interface Step {
  readonly window: string
  readonly endpoint: string
  readonly outcome: Outcome
  readonly rows: ReadonlyArray<Rows>
  readonly responses: ReadonlyArray<ArchivedResponse>
  readonly requests: number
  readonly cursor?: { readonly entity: string; readonly value: unknown }
  readonly gaps?: ReadonlyArray<GapNote>
  readonly drift?: ReadonlyArray<Drift>
  /** Why the step is not `landed` or `empty`, for the task's record. */
  readonly error?: ApiError
  readonly warning?: string
}

/** What earlier runs left for an entity. */
export interface Memory {
  /** What tasks, cursors and gaps are filed under: the vault's address. */
  readonly entity: string
  readonly cursor: (entity: string) => unknown
  readonly openGaps: ReadonlyArray<{ readonly fromAt: number; readonly toAt: number }>
}

export type Steps = Stream.Stream<Step, ApiError | ArchiveError, ApiClient>

/** A pipeline that fans out over vaults. */
export interface VaultPipeline {
  readonly name: string
  readonly title: string
  readonly tables: ReadonlyArray<Table>
  readonly includes: (vault: VaultRef) => boolean
  /** The endpoint asks by chain and address; without, an address on two chains is asked about once. */
  readonly perChain: boolean
  readonly steps: (vault: VaultRef, memory: Memory, context: RunContext) => Steps
  /** Requests a run will need for the vault, for `--plan`. */
  readonly expectedRequests: (vault: VaultRef, memory: Memory, context: RunContext) => number
}
