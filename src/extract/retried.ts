// A call's attempts, repeated as long as another one can help and there is time for it.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveError } from "../archive/ResponseArchive.ts"
import { countRetries } from "../domain/run/metrics.ts"
import { isRetryable } from "../domain/wire/errors.ts"
import type { Retry } from "../domain/wire/retry.ts"
import { attempt, type Attempted, type Call, type Sender } from "./attempt.ts"
import {
  backoffMillis,
  durationText,
  type Failure,
  maxAttempts,
  outOfTime,
  REPETITIONS,
  retryMillis,
} from "./retry.ts"
import type { RetryWaits } from "./retryWaits.ts"

export interface RetrySettings {
  /**
   * How long one call may be retried after its first request; 0 disables retries. Delays that the service asks for
   * count, but waiting for a start does not.
   */
  readonly retryBudgetSeconds: number
  /** How long all calls together may wait for nothing but another attempt; absent: as long as each may be retried. */
  readonly retryWaitSeconds?: number
  /** Runs once, when all calls have waited for nothing but another attempt for 10 s. */
  readonly onLongWait?: Effect.Effect<void>
  /** Called before each wait for another attempt. */
  readonly onRetry?: (retry: Retry) => void
}

export const retried = Effect.fnUntraced(function* <A>(
  sender: Sender,
  call: Call,
  waits: RetryWaits,
  settings: RetrySettings,
): Effect.fn.Return<Attempted<A>, Failure | ArchiveError> {
  const { endpoint } = call
  let repetitions = 0
  for (;;) {
    const outcome = yield* Effect.result(attempt<A>(sender, call))
    yield* logAttempt(call, outcome)
    if (Result.isSuccess(outcome)) {
      if (call.attempts > 1) yield* waits.helped
      return outcome.success
    }
    const failure = outcome.failure
    if ("_tag" in failure) return yield* Effect.fail(failure)
    const { reasonIfRepeated } = failure
    repetitions = reasonIfRepeated === undefined ? 0 : repetitions + 1
    if (reasonIfRepeated !== undefined && repetitions === REPETITIONS) {
      return yield* Effect.fail({ ...failure, reason: reasonIfRepeated })
    }
    const mostAttempts = maxAttempts(endpoint, failure, call.task?.failedBefore)
    if (!canHelp(failure) || call.attempts >= mostAttempts) return yield* Effect.fail(failure)
    const wait = yield* waitMillis(call, failure, settings.retryBudgetSeconds)
    yield* countRetries({ endpoint: endpoint.name })
    settings.onRetry?.({
      endpoint: endpoint.name,
      status: failure.status,
      detail: failure.detail,
      waitSeconds: wait / 1000,
      attempt: call.attempts + 1,
      attempts: mostAttempts,
    })
    if (!(yield* waits.wait(wait))) return yield* Effect.fail(noMoreWaiting(failure, settings))
  }
})

const canHelp = ({ isFinal, reasonIfRepeated, reason }: Failure): boolean =>
  isFinal !== true && (reasonIfRepeated !== undefined || isRetryable(reason))

/** How long to wait before the next attempt; fails if the call has not as much time left. */
const waitMillis = Effect.fnUntraced(function* (
  { endpoint, attempts, activeTime }: Call,
  failure: Failure,
  retryBudgetSeconds: number,
) {
  const most = retryMillis(retryBudgetSeconds, endpoint, failure)
  const left = most - activeTime.elapsed()
  const wait = yield* backoffMillis(attempts, failure.delaySeconds)
  return wait >= left ? yield* Effect.fail(outOfTime(failure, left, most)) : wait
})

const noMoreWaiting = (
  failure: Failure,
  { retryWaitSeconds = Infinity }: RetrySettings,
): Failure => ({
  ...failure,
  detail: `${failure.detail}; not retried, because the run has waited ${durationText(retryWaitSeconds)} for retries alone (retryWait)`,
})

const logAttempt = (
  { endpoint, request, responses, attempts }: Call,
  outcome: Result.Result<unknown, Failure | ArchiveError>,
) => {
  const { method, url } = request
  const error =
    Result.isFailure(outcome) && !("_tag" in outcome.failure)
      ? { status: outcome.failure.status, error: outcome.failure.detail }
      : { status: responses.at(-1)?.status }
  return Effect.logDebug(`${method} ${url.pathname}${url.search}`).pipe(
    Effect.annotateLogs({ endpoint: endpoint.name, attempt: attempts, ...error }),
  )
}
