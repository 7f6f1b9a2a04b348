// Decides how often, for how long and after which delay a call is retried.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ApiErrorReason } from "../domain/wire/errors.ts"
import type { AnyEndpoint } from "./Endpoint.ts"

/** Why an attempt returned no value. */
export interface Failure {
  readonly reason: ApiErrorReason
  readonly status?: number | undefined
  readonly detail: string
  /** Seconds the service asks to wait before the next attempt. */
  readonly delaySeconds?: number | undefined
  /** Whether another attempt can't help, although the reason is usually retried. */
  readonly isFinal?: true
  /** The failure may be temporary; if it is repeated often enough in one call, it is final and has this reason. */
  readonly reasonIfRepeated?: ApiErrorReason
}

const FIRST_BACKOFF_MILLIS = 250
const MAX_BACKOFF_MILLIS = 20_000
const MAX_ATTEMPTS = 10
// Of a request whose task failed in the same way in the run before.
const MAX_ATTEMPTS_AGAIN = 2

/** How many failures in a row with `reasonIfRepeated` are final. */
export const REPETITIONS = 3

/** `failedBefore`: the kind of error that the task failed with in the run before. */
export const maxAttempts = (
  { unsafe }: AnyEndpoint,
  { reason, reasonIfRepeated }: Failure,
  failedBefore: string | undefined,
): number => {
  if (unsafe === true) return 1
  const isAgain = reason._tag === failedBefore && reasonIfRepeated === undefined
  return isAgain ? MAX_ATTEMPTS_AGAIN : MAX_ATTEMPTS
}

/**
 * How long one call may be retried after a failure; 0 disables retries. A slow request that timed out gets the time of
 * one more attempt, because the service may have the response ready by then (§8).
 */
export const retryMillis = (
  retryBudgetSeconds: number,
  { attemptSeconds = 0 }: AnyEndpoint,
  { reason }: Failure,
): number =>
  retryBudgetSeconds === 0
    ? 0
    : (retryBudgetSeconds + (reason._tag === "Timeout" ? attemptSeconds : 0)) * 1000

/**
 * The delay before the next attempt: at least the service's delay, with full jitter, so that calls that failed together
 * are not retried together and a tiny delay does not use up all attempts at once.
 */
export const backoffMillis = (
  attempts: number,
  delaySeconds: number | undefined,
): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Math.max(
      delaySeconds === undefined ? 0 : delaySeconds * 1000 + random * FIRST_BACKOFF_MILLIS,
      random * Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** attempts),
    ),
  )

/**
 * The failure of a call that has no time left; it counts as rate-limited if the service asks to wait longer than that.
 */
export const outOfTime = (failure: Failure, leftMillis: number, budgetMillis: number): Failure => {
  const { delaySeconds, detail } = failure
  if (delaySeconds === undefined || delaySeconds * 1000 <= leftMillis) return failure
  const budget = durationText(budgetMillis / 1000)
  return {
    ...failure,
    reason: { _tag: "RateLimited", delaySeconds },
    detail:
      delaySeconds * 1000 > budgetMillis
        ? `${detail}; the service asks to wait ${durationText(delaySeconds)}, longer than the ${budget} that a run waits`
        : `${detail}; the service asks to wait ${durationText(delaySeconds)} more, and the ${budget} that a run waits are over`,
  }
}

/** `45 s`, `5 min`, `2.5 h`. */
export const durationText = (seconds: number): string => {
  if (seconds < 120) return `${Math.ceil(seconds)} s`
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} min`
  return `${Math.ceil(seconds / 360) / 10} h`
}
