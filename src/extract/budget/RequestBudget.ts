// The request budget: the rate limiter that all requests of a run share. The service's limits are not documented (§8),
// so it learns concurrency and rate from the responses. It stops sending to a service that fails every request.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { setRequestLimit } from "../../domain/run/metrics.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Latency } from "./Latency.ts"
import type { Pace } from "./Pace.ts"
import type { Learnt, PaceOptions } from "./PaceState.ts"
import { durationText, type Failure } from "../retry.ts"
import { sharedStarts } from "./sharedStarts.ts"
import { Slots } from "./Slots.ts"
import { ownStarts } from "./Starts.ts"
import { steadyTime } from "../../domain/run/steadyTime.ts"
import { statusText } from "../http/statusText.ts"
import type { PaceStore } from "./PaceStore.ts"

/** What the budget learns from a response. */
export interface Observation {
  readonly status: number
  /** Seconds the service asks to wait. */
  readonly delaySeconds: number | undefined
}

export interface Spending {
  readonly endpoint: string
  /** How long the request may wait while the service rate-limits or fails all requests. */
  readonly maxWaitMillis: number
  /** Always slow (§2.5, §8): neither its latency nor a timeout is a sign of load. */
  readonly isSlow: boolean
  /** Its server errors are an expected absence (§7), not a sign of trouble. */
  readonly expectsServerErrors: boolean
  /** How many requests its task will probably send from this one on, one after the other: the most go first. */
  readonly requestsLeft: number
}

export class RequestBudget extends Context.Service<
  RequestBudget,
  {
    /** Sends one request when it may start, and learns from the outcome. Fails if it would have to wait too long. */
    readonly spend: <A extends Observation>(
      request: Effect.Effect<A, Failure>,
      spending: Spending,
    ) => Effect.Effect<A, Failure>
    /** What it has learnt of the service's limits, for later runs. */
    readonly learnt: Effect.Effect<Learnt>
  }
>()("vaulthouse/extract/RequestBudget") {
  /** With `store`, the pace is shared by all processes that use the same store; without, it starts from `learnt`. */
  static readonly layer = (
    options: PaceOptions = {},
    store?: PaceStore,
    learnt?: Learnt,
  ): Layer.Layer<RequestBudget> =>
    Layer.effect(
      RequestBudget,
      Effect.gen(function* () {
        const steadyNow = yield* steadyTime
        const starts =
          store === undefined
            ? ownStarts(options, learnt, steadyNow)
            : yield* sharedStarts(options, store, steadyNow)
        const latencies = new Map<string, Latency>()
        const breaker = new CircuitBreaker()
        let underWay = 0
        let size = starts.concurrency()
        const slots = new Slots(size)
        const resize = (): void => {
          const concurrency = starts.concurrency()
          if (concurrency === size) return
          size = concurrency
          slots.resize(size)
        }
        const recordLimit = Effect.suspend(() =>
          setRequestLimit([[{}, starts.pace().limitPerSecond]]),
        )
        yield* Effect.addFinalizer(() => recordLimit)

        const awaitStart = Effect.fnUntraced(function* ({ endpoint, maxWaitMillis }: Spending) {
          for (;;) {
            const pace = starts.pace()
            const paceNow = yield* starts.now
            if (pace.limitedMillis(paceNow) > maxWaitMillis) {
              return yield* Effect.fail(pausedFailure(pace, paceNow, maxWaitMillis))
            }
            const now = steadyNow()
            const failure = breaker.failureOf(now, endpoint, maxWaitMillis)
            if (failure !== undefined) return yield* Effect.fail(failure)
            const untilProbe = breaker.waitMillis(now, endpoint)
            const wait = untilProbe > 0 ? untilProbe : yield* starts.reserve
            if (wait <= 0) return breaker.sent(now, endpoint)
            // Clocks tick in whole milliseconds, so a shorter wait would end at the same instant.
            yield* Effect.sleep(Math.ceil(wait))
          }
        })

        const spend = <A extends Observation>(
          request: Effect.Effect<A, Failure>,
          spending: Spending,
        ) =>
          Effect.gen(function* () {
            yield* awaitStart(spending)
            const { endpoint, isSlow, expectsServerErrors } = spending
            const startedAt = steadyNow()
            underWay += 1
            let isFull = underWay >= size
            const outcome = yield* Effect.result(request).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  isFull ||= underWay >= size
                  underWay -= 1
                }),
              ),
            )
            const now = steadyNow()
            const paceNow = yield* starts.now
            const latency = now - startedAt
            const known = latencies.get(endpoint) ?? new Latency()
            latencies.set(endpoint, known)
            if (Result.isFailure(outcome)) {
              const failure = outcome.failure
              if (!isSlow && known.hasRisenInFailure(latency)) starts.observe(slowed)
              const isTimeout = failure.reason._tag === "Timeout"
              if (failure.reason._tag === "Transport" || (isTimeout && !isSlow)) {
                breaker.failed(now, endpoint, failure)
              }
            } else {
              const { status, delaySeconds } = outcome.success
              if (status === 429) {
                starts.observe((pace) => pace.rateLimited(paceNow, delaySeconds))
                yield* recordLimit
              } else {
                if (status === 503 && delaySeconds !== undefined) {
                  starts.observe((pace) => pace.unavailable(paceNow, delaySeconds))
                } else if (status < 500 || expectsServerErrors) {
                  starts.observe((pace) => pace.succeeded(paceNow, isFull))
                }
                if (!isSlow && known.hasRisen(latency)) starts.observe(slowed)
              }
              if (status < 500) breaker.succeeded()
              else if (!expectsServerErrors) breaker.failed(now, endpoint, serverFailure(status))
            }
            resize()
            return yield* Effect.fromResult(outcome)
          }).pipe((work) => slots.within(work, spending.requestsLeft), starts.during)

        return RequestBudget.of({
          spend,
          learnt: Effect.map(starts.now, (now) => starts.pace().learnt(now)),
        })
      }),
    )
}

const slowed = (pace: Pace): void => pace.slowed()

const pausedFailure = (pace: Pace, now: number, maxWaitMillis: number): Failure => {
  const pauseMillis = pace.pauseMillis(now)
  const [pause, limited, most] = [pauseMillis, pace.limitedMillis(now), maxWaitMillis].map((each) =>
    durationText(each / 1000),
  )
  const [state, before] =
    pace.pausedBy === 503
      ? ["is unavailable", "has been so"]
      : ["rate-limits every request", "has done so"]
  const since =
    pauseMillis > maxWaitMillis
      ? `asks to wait at least ${pause}`
      : `${before} for ${limited} with the ${pause} that it asks to wait now`
  return {
    reason: { _tag: "RateLimited", delaySeconds: pauseMillis / 1000 },
    status: pace.pausedBy,
    detail: `not sent: the service ${state} and ${since}, longer than the ${most} that a run waits`,
    isFinal: true,
  }
}

const serverFailure = (status: number): Failure => ({
  reason: { _tag: "ServerError" },
  status,
  detail: statusText(status) ?? "server error",
})
