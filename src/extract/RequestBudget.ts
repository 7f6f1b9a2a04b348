// The request budget: the rate limiter that all requests of a run share. The service's limits are not documented (§8),
// so it learns concurrency and rate from the responses. It leaves a service alone that fails every request.
import { STATUS_CODES } from "node:http"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { setRequestLimit } from "../domain/metrics.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { type PaceOptions, Pace } from "./Pace.ts"
import { durationText, type Failure } from "./retry.ts"

/** What the budget learns from a response. */
export interface Observation {
  readonly status: number
  /** Seconds the service asks to wait. */
  readonly delaySeconds: number | undefined
}

export interface Spending {
  readonly endpoint: string
  /** How long the request may wait because the service rate-limits or fails everything. */
  readonly maxWaitMillis: number
  /** Slow by nature (§2.5, §8): its latency says nothing about the load, and a timeout nothing about the service. */
  readonly isSlow: boolean
  /** Its server errors are an expected absence (§7), not a sign of trouble. */
  readonly expectsServerErrors: boolean
}

export class RequestBudget extends Context.Service<
  RequestBudget,
  {
    /** Sends one request when it is its turn, and learns from the outcome. Fails instead of waiting too long. */
    readonly spend: <A extends Observation>(
      request: Effect.Effect<A, Failure>,
      spending: Spending,
    ) => Effect.Effect<A, Failure>
  }
>()("vaulthouse/extract/RequestBudget") {
  static readonly layer = (options: PaceOptions = {}): Layer.Layer<RequestBudget> =>
    Layer.effect(
      RequestBudget,
      Effect.gen(function* () {
        const pace = new Pace(options)
        const breaker = new CircuitBreaker()
        const slots = yield* Semaphore.make(pace.concurrency)
        const recordLimit = Effect.suspend(() => setRequestLimit([[{}, pace.limitPerSecond]]))
        yield* Effect.addFinalizer(() => recordLimit)

        const awaitTurn = Effect.fnUntraced(function* ({ endpoint, maxWaitMillis }: Spending) {
          for (;;) {
            const now = yield* Clock.currentTimeMillis
            if (pace.limitedMillis(now) > maxWaitMillis) {
              return yield* Effect.fail(pausedFor(pace.pauseMillis(now) / 1000))
            }
            const failure = breaker.failureOf(now, endpoint, maxWaitMillis)
            if (failure !== undefined) return yield* Effect.fail(failure)
            const untilProbe = breaker.waitMillis(now, endpoint)
            const wait = untilProbe > 0 ? untilProbe : pace.reserve(now)
            if (wait <= 0) return breaker.sent(now, endpoint)
            // Clocks tick in whole milliseconds: a shorter wait would end at the same instant.
            yield* Effect.sleep(Math.ceil(wait))
          }
        })

        const spend = <A extends Observation>(
          request: Effect.Effect<A, Failure>,
          spending: Spending,
        ) =>
          Semaphore.withPermit(
            slots,
            Effect.gen(function* () {
              yield* awaitTurn(spending)
              const { endpoint, isSlow, expectsServerErrors } = spending
              const startedAt = yield* Clock.currentTimeMillis
              const outcome = yield* Effect.result(request)
              const now = yield* Clock.currentTimeMillis
              const latency = isSlow ? undefined : now - startedAt
              const before = pace.concurrency
              if (Result.isFailure(outcome)) {
                const failure = outcome.failure
                pace.failed(latency ?? 0)
                const isTimeout = failure.reason._tag === "Timeout"
                if (failure.reason._tag === "Transport" || (isTimeout && !isSlow)) {
                  breaker.failed(now, endpoint, failure)
                }
              } else {
                const { status, delaySeconds } = outcome.success
                if (status === 429) {
                  pace.rateLimited(now, delaySeconds)
                  yield* recordLimit
                } else pace.succeeded(now, latency)
                if (status < 500) breaker.succeeded()
                else if (!expectsServerErrors) breaker.failed(now, endpoint, serverError(status))
              }
              if (pace.concurrency !== before) yield* Semaphore.resize(slots, pace.concurrency)
              return yield* Effect.fromResult(outcome)
            }),
          )

        return RequestBudget.of({ spend })
      }),
    )
}

const pausedFor = (seconds: number): Failure => ({
  reason: { _tag: "RateLimited", delaySeconds: seconds },
  status: 429,
  detail: `not sent: the service rate-limits every request and asks to wait ${durationText(seconds)} more, longer than the retry budget`,
  isFinal: true,
})

const serverError = (status: number): Failure => ({
  reason: { _tag: "ServerError" },
  status,
  detail: STATUS_CODES[status] ?? "server error",
})
