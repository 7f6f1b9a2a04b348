// The outcome of a task, and the batch that the pipelines pass to the loader.
import type { Claim } from "./claim.ts"
import type { Rows } from "../table/table.ts"
import type { TaskVault } from "../subject/vault.ts"

/** The outcome before the commit, which turns `landed` into `loaded` or `unchanged`. */
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

/** The outcome after the commit: `landed` becomes `loaded` if the commit added or revised a row. */
export const recordedOutcome = (
  outcome: Outcome,
  { inserted, revised }: Pick<Committed, "inserted" | "revised">,
): RecordedOutcome =>
  outcome === "landed" ? (inserted + revised > 0 ? "loaded" : "unchanged") : outcome

/** Whether the task must be repeated; a run with such an outcome is `partial`. */
export const isFailure = (outcome: RecordedOutcome): boolean =>
  outcome === "failed" || outcome === "quarantined"

/** The days that a request covered, inclusive, since 1970; without `from`, everything up to `to`. */
export interface CoveredDays {
  readonly from: number | undefined
  readonly to: number
}

/** The record of a task: one pipeline × partition × window, which lands or fails on its own. */
export interface TaskRecord {
  readonly pipeline: string
  /** The key of the partition: a vault address, subaccount, … or `-` if the pipeline has only one partition. */
  readonly entity: string
  /** Set if the partition is a vault. */
  readonly vault?: TaskVault
  /** The window, for example `2026-01-01..2026-02-10`; part of the task's identity. */
  readonly window: string
  /** The requested series (mart.series); absent if it is none, or all series of the pipeline. */
  readonly series?: string
  /** The days of the window, for a series. */
  readonly covers?: CoveredDays
  readonly outcome: Outcome
  readonly requests: number
  readonly seconds: number
  readonly errorTag?: string
  readonly errorText?: string
}

/** Says where the next run of a partition begins, as JSON that only its pipeline reads. */
export interface CursorUpdate {
  readonly pipeline: string
  readonly entity: string
  readonly cursor: unknown
}

/**
 * Everything that one transaction commits: rows, the cursor that they move, the task's record and its bookkeeping
 * (archive index, gaps, quarantine, drift).
 */
export interface Batch {
  /** Absent in a replay, which sends no requests. */
  readonly task?: TaskRecord
  /** Of tables that keep their past: `history` or `slowly_changing`. */
  readonly rows: ReadonlyArray<Rows>
  readonly cursor?: CursorUpdate
  /** Of vaulthouse's own tables: `replace` or `first`. */
  readonly bookkeeping: ReadonlyArray<Rows>
  /** The run in the rows' lineage; by default, the current run. */
  readonly runId?: string
  /** In a shared run, the claim that must still be valid for the commit. */
  readonly claim?: Claim
}

/** The numbers of rows that a committed batch changed, as counted by the database. */
export interface Committed {
  readonly inserted: number
  readonly revised: number
  readonly unchanged: number
}
