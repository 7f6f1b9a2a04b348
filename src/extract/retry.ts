// When a call is sent again: what may help, how often, and after how long. No effects but the jitter.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { AnyEndpoint } from "./Endpoint.ts"
import type { Doubt, Failure } from "./exchange.ts"

const FIRST_BACKOFF_MILLIS = 250
const MAX_BACKOFF_MILLIS = 20_000
const MAX_ATTEMPTS = 10
// A service that has never answered is more likely not there than in trouble.
const FIRST_ATTEMPTS = 4
// What may be an accident and comes the same way every time is what the service means.
const CONVINCING = 3

/** How often one call may be sent. */
export const maxAttempts = ({ unsafe }: AnyEndpoint, hasAnswered: boolean): number =>
  unsafe === true ? 1 : hasAnswered ? MAX_ATTEMPTS : FIRST_ATTEMPTS

/**
 * How long one call may go on when an attempt has failed; 0: it is not tried again. A read that is slow by nature
 * and timed out has the time of an attempt more: the second time the service may have it at hand (§8).
 */
export const patienceMillis = (
  retryBudgetSeconds: number,
  { attemptSeconds = 0 }: AnyEndpoint,
  { reason }: Failure,
): number =>
  retryBudgetSeconds === 0
    ? 0
    : (retryBudgetSeconds + (reason._tag === "Timeout" ? attemptSeconds : 0)) * 1000

/** How often in a row a call has been answered alike with what may have been an accident. */
export interface Seen {
  readonly sameness: string
  readonly times: number
}

export const nothingSeen: Seen = { sameness: "", times: 0 }

export const seenAgain = ({ sameness, times }: Seen, doubt: Doubt | undefined): Seen =>
  doubt === undefined
    ? nothingSeen
    : { sameness: doubt.sameness, times: doubt.sameness === sameness ? times + 1 : 1 }

/**
 * Not before the service's delay, and by full jitter: callers that failed together do not come back together, and
 * a delay that is over at once does not use up the attempts at once.
 */
export const waitBefore = (
  attempts: number,
  delaySeconds: number | undefined,
): Effect.Effect<number> =>
  Effect.map(Random.next, (random) =>
    Math.max(
      delaySeconds === undefined ? 0 : delaySeconds * 1000 + random * FIRST_BACKOFF_MILLIS,
      random * Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** attempts),
    ),
  )

/** Where the service asks to wait longer than the call has left, that is what ended it. */
export const withoutPatience = (failure: Failure, leftMillis: number): Failure =>
  failure.delaySeconds === undefined || failure.delaySeconds * 1000 <= leftMillis
    ? failure
    : {
        ...failure,
        reason: { _tag: "RateLimited", delaySeconds: failure.delaySeconds },
        detail: `${failure.detail}; the service asked to wait ${Math.ceil(failure.delaySeconds)} s, longer than the retry budget`,
      }

/** What a doubtful answer is once it has come often enough to be believed; `undefined` before. */
export const convinced = (failure: Failure, { times }: Seen): Failure | undefined =>
  failure.doubt !== undefined && times >= CONVINCING
    ? { ...failure, reason: failure.doubt.believed }
    : undefined
