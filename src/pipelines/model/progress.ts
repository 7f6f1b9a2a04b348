// What a run reports while it is in progress, and at its end.
import type { RecordedOutcome } from "../../domain/run/outcome.ts"
import type { Retry } from "../../domain/wire/retry.ts"
import type { CheckResult } from "../../domain/run/checkResult.ts"

export type ProgressEvent =
  /** The first, once the run has the warehouse. */
  | { readonly kind: "run"; readonly runId: string }
  | { readonly kind: "started"; readonly pipeline: string; readonly tasks: number | undefined }
  | {
      readonly kind: "page"
      readonly pipeline: string
      readonly entity: string
      readonly rows: number
      readonly requests: number
    }
  | {
      readonly kind: "task"
      readonly pipeline: string
      readonly entity: string
      readonly outcome: RecordedOutcome
      readonly text?: string
    }
  /** A partition has been read, as far as possible. */
  | { readonly kind: "done"; readonly pipeline: string; readonly entity: string }
  | { readonly kind: "finished"; readonly pipeline: string; readonly summary: PipelineSummary }
  /** A request failed and is made again after a wait. */
  | ({ readonly kind: "retry" } & Retry)
  | { readonly kind: "warning"; readonly pipeline: string; readonly text: string }
  | { readonly kind: "stage"; readonly stage: "publishing" | "publishing to PostgreSQL" }
  /** Another process holds the warehouse, or PostgreSQL can't be reached. */
  | { readonly kind: "waiting"; readonly text: string }
  /** What the run shares with other processes, or continues. */
  | { readonly kind: "note"; readonly text: string }

export type OnProgress = (event: ProgressEvent) => void

export type RunOutcome = "complete" | "partial" | "deferred" | "failed"

export interface PipelineSummary {
  readonly name: string
  readonly title: string
  /** Number of tasks by outcome; outcomes that did not occur are absent. */
  readonly outcomes: Readonly<Partial<Record<RecordedOutcome, number>>>
  readonly rowsInserted: number
  readonly rowsRevised: number
  readonly requests: number
  readonly seconds: number
  /** A few of the errors, as a user reads them. */
  readonly firstErrors: ReadonlyArray<string>
  /** Why the pipeline was not read, or not to its end, where the service refused it. */
  readonly skipped: string | undefined
  /** How long the service says to wait, where tasks were deferred for it. */
  readonly delaySeconds?: number | undefined
}

/**
 * `unknown`: 401 to all that needs a key; `none`: 403, in the same way; `some`: it opens something; `absent`: there was no
 * key, and something needs one.
 */
export type KeyAccess = "unknown" | "none" | "some" | "absent"

export interface RunSummary {
  readonly runId: string
  readonly outcome: RunOutcome
  readonly pipelines: ReadonlyArray<PipelineSummary>
  readonly requests: number
  readonly rowsInserted: number
  readonly rowsRevised: number
  readonly seconds: number
  readonly published: boolean
  /** Why PostgreSQL does not hold what is published. */
  readonly failedPublication?: string
  /** Whether no task found anything new. */
  readonly nothingNew: boolean
  /** Selected addresses that no listed vault has. */
  readonly unknownVaults: ReadonlyArray<string>
  /** The service does not know the key: what needs one was skipped. */
  readonly isKeyUnknown: boolean
  /** What the key opened; not there if no request needed it. */
  readonly keyAccess?: KeyAccess
  /** The key opens nothing, or no longer a pipeline that earlier runs read with one: the run is not complete. */
  readonly keyRejected: boolean
  /** How many seconds the machine's clock was ahead of the service's, or, negative, behind, if it was minutes. */
  readonly clockAheadSeconds?: number
  /** Failed checks of the rows it wrote. */
  readonly failedChecks: ReadonlyArray<CheckResult>
}
