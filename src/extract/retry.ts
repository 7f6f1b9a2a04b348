// When a call is sent again: after which failures, how often, and after how long.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ApiErrorReason } from "../domain/errors.ts"
import type { AnyEndpoint } from "./Endpoint.ts"

/** Why an attempt returned no value. */
export interface Failure {
  readonly reason: ApiErrorReason
  readonly status?: number | undefined
  readonly detail: string
  /** Seconds the service asks to wait before the next attempt. */
  readonly delaySeconds?: number | undefined
  /** Another attempt can't help, although its reason allows one. */
  readonly isFinal?: true
  /** The failure may pass; the third time in one call it is final and has this reason. */
  readonly reasonIfRepeated?: ApiErrorReason
}

const FIRST_BACKOFF_MILLIS = 250
const MAX_BACKOFF_MILLIS = 20_000
const MAX_ATTEMPTS = 10

/** How many such failures in a row make `reasonIfRepeated` final. */
export const REPETITIONS = 3

export const maxAttempts = ({ unsafe }: AnyEndpoint): number => (unsafe === true ? 1 : MAX_ATTEMPTS)

/**
 * How long one call may go on after a failure; 0: no retry. A slow read that timed out gets the time of one more
 * attempt: the service may have the response ready by then (§8).
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
 * At least the service's delay, with full jitter: calls that failed together are not retried together, and a tiny delay
 * does not use up the attempts at once.
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

/** The failure of a call out of time: rate-limited where the service asks to wait longer than is left. */
export const withoutTimeLeft = (failure: Failure, leftMillis: number): Failure =>
  failure.delaySeconds === undefined || failure.delaySeconds * 1000 <= leftMillis
    ? failure
    : {
        ...failure,
        reason: { _tag: "RateLimited", delaySeconds: failure.delaySeconds },
        detail: `${failure.detail}; the service asks to wait ${durationText(failure.delaySeconds)}, longer than the retry budget`,
      }

/** `45 s`, `5 min`, `2.5 h`. */
export const durationText = (seconds: number): string => {
  if (seconds < 120) return `${Math.ceil(seconds)} s`
  if (seconds < 7200) return `${Math.ceil(seconds / 60)} min`
  return `${Math.ceil(seconds / 360) / 10} h`
}
