// One budget of requests for the whole run: how many may be under way at once, and how far apart they
// start. The service's limits are not documented (§8), so both are learnt from its answers.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { type PaceOptions, Pace } from "./Pace.ts"

export interface Observed {
  readonly status: number
  /** Seconds the server asked to wait, when it did. */
  readonly delaySeconds: number | undefined
}

/** The service has asked everyone to wait longer than the caller will. */
export class Paused extends Data.TaggedError("Paused")<{ readonly seconds: number }> {}

export class RequestBudget extends Context.Service<
  RequestBudget,
  {
    /**
     * Runs one request when it is its turn and learns from how it went. Fails with `Paused` instead of
     * waiting when the service has asked for a longer pause than `patienceMillis`, at once or again and again
     * with nothing answered in between. How long a read takes that
     * is slow by nature (§2.5, §8) says nothing of how busy the service is.
     */
    readonly spend: <A extends Observed, E, R>(
      request: Effect.Effect<A, E, R>,
      patienceMillis: number,
      isSlow?: boolean,
    ) => Effect.Effect<A, E | Paused, R>
  }
>()("vaulthouse/extract/RequestBudget") {
  static readonly layer = (options: PaceOptions = {}): Layer.Layer<RequestBudget> =>
    Layer.effect(
      RequestBudget,
      Effect.gen(function* () {
        const pace = new Pace(options)
        const slots = yield* Semaphore.make(pace.concurrency)

        const awaitTurn = Effect.fnUntraced(function* (patienceMillis: number) {
          for (;;) {
            const now = yield* Clock.currentTimeMillis
            const pause = pace.pause(now)
            if (pace.refusal(now) > patienceMillis)
              return yield* new Paused({ seconds: pause / 1000 })
            const wait = pace.reserve(now)
            if (wait <= 0) return
            // Clocks tick in whole milliseconds: a shorter wait would be one for the same instant.
            yield* Effect.sleep(Math.ceil(wait))
          }
        })

        const spend = <A extends Observed, E, R>(
          request: Effect.Effect<A, E, R>,
          patienceMillis: number,
          isSlow = false,
        ) =>
          Semaphore.withPermit(
            slots,
            Effect.gen(function* () {
              yield* awaitTurn(patienceMillis)
              const startedAt = yield* Clock.currentTimeMillis
              const outcome = yield* Effect.result(request)
              const now = yield* Clock.currentTimeMillis
              const latency = isSlow ? undefined : now - startedAt
              const before = pace.concurrency
              if (Result.isFailure(outcome)) pace.unanswered(latency ?? 0)
              else if (outcome.success.status === 429) {
                pace.refused(now, outcome.success.delaySeconds)
              } else pace.answered(now, latency)
              if (pace.concurrency !== before) yield* Semaphore.resize(slots, pace.concurrency)
              return yield* Effect.fromResult(outcome)
            }),
          )

        return RequestBudget.of({ spend })
      }),
    )
}
