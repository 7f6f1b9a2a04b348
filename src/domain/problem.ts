// What needs a person's attention in a warehouse: types.

/** The most urgent first. */
export const problemKinds = [
  "run_failed",
  "key_rejected",
  "publication_failed",
  "run_partial",
  "run_deferred",
  "failed_check",
  "stale",
  "quarantine",
  "gap",
  "permanent_gap",
] as const

export type ProblemKind = (typeof problemKinds)[number]

export interface Problem {
  readonly kind: ProblemKind
  /** Stable identity within its kind: a pipeline, a series, a check's name; `sync` and `key` where there is one only. */
  readonly subject: string
  /** One sentence for a person, with the numbers. */
  readonly text: string
  /** What to do: a command or a setting. */
  readonly advice: string
  /** ISO instant since when, where known. */
  readonly since: string | null
}
