// The types of problems, which need a person's attention.

/** The kinds of problems, the most urgent first. */
export const problemKinds = [
  "run_failed",
  "key_rejected",
  "clock_ahead",
  "clock_behind",
  "publication_failed",
  "run_partial",
  "failed_check",
  "stale",
  "quarantine",
  "run_deferred",
  "gap",
  "permanent_gap",
] as const

export type ProblemKind = (typeof problemKinds)[number]

export interface Problem {
  readonly kind: ProblemKind
  /** The identity within its kind: a pipeline, a series, a check, or `sync` or `key` if there is only one. */
  readonly subject: string
  /** One sentence with the numbers. */
  readonly text: string
  /** What to do: a command or a setting. */
  readonly advice: string
  /** When it began, as an ISO instant, if known. */
  readonly since: string | null
}
