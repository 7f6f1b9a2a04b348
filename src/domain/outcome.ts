// What became of a task, and what a batch carries from the pipelines to the loader.
import type { Rows } from "./table.ts"
import type { AskedVault } from "./vault.ts"

/** `landed` is for the loader to settle: `loaded` when a row was new or revised, else `unchanged`. */
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

/** Outcomes that leave something to do again: a run with one of them ends `partial`. */
export const isFailure = (outcome: RecordedOutcome): boolean =>
  outcome === "failed" || outcome === "quarantined"

/** Days (since 1970, both included) a question was about; without `from`, everything up to `to`. */
export interface CoveredDays {
  readonly from: number | undefined
  readonly to: number
}

/** One (pipeline, entity, window): the unit that lands or fails on its own. */
export interface TaskRecord {
  readonly pipeline: string
  /** Vault address, subaccount, … or `-` where the pipeline has no fan-out. */
  readonly entity: string
  /** The vault the entity is, where it is one. */
  readonly vault?: AskedVault
  /** What of the entity was read, for example `2026-01-01..2026-02-10`: for people, and part of the task's identity. */
  readonly window: string
  /** Series (mart.series) asked for; absent where it is none, or all that the pipeline reads. */
  readonly series?: string
  /** What the window stands for, of a series. */
  readonly covers?: CoveredDays
  readonly outcome: Outcome
  readonly requests: number
  readonly seconds: number
  readonly errorTag?: string
  readonly errorText?: string
}

/** Where the next run of (pipeline, entity) begins; JSON, meaningful to its pipeline alone. */
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
  /** Absent where nothing was asked: a replay of what earlier tasks recorded. */
  readonly task?: TaskRecord
  readonly rows: ReadonlyArray<Rows>
  readonly cursor?: CursorUpdate
  readonly bookkeeping: ReadonlyArray<Rows>
  /** The run the rows are told to be of; without it, the one that is going on. */
  readonly runId?: string
}

/** What a committed batch changed, counted by the database and not by the caller. */
export interface Committed {
  readonly inserted: number
  readonly revised: number
  readonly unchanged: number
}
