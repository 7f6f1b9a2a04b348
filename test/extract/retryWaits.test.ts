// How long the calls of a run wait for nothing but another attempt, under a clock that the test adjusts.
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { RetryWaits } from "../../src/extract/retryWaits.ts"

/** What it returns, and the seconds since the test began. */
const ended = Effect.fnUntraced(function* <A>(work: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(
    Effect.flatMap(work, (value) =>
      Effect.map(Clock.currentTimeMillis, (now) => [value, now / 1000] as const),
    ),
  )
  while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("500 millis")
  return yield* Fiber.join(fiber)
})

const together = (...calls: ReadonlyArray<Effect.Effect<unknown>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

it.effect("ends a wait once all waits have taken as long as they may", () =>
  Effect.gen(function* () {
    const waits = new RetryWaits(20)
    expect(yield* ended(waits.during(waits.wait(18_500)))).toEqual([true, 18.5])
    // What the run does between two calls is no wait.
    yield* TestClock.adjust("10 seconds")
    expect(yield* ended(waits.during(waits.wait(1499)))).toEqual([true, 29.999])
    // A wait may begin in the last millisecond, and looks every second whether it has to end.
    expect(yield* ended(waits.during(waits.wait(60_000)))).toEqual([false, 31])
    expect(yield* ended(waits.during(waits.wait(1)))).toEqual([false, 31])
  }),
)

it.effect("counts no time in which another call does more than wait", () =>
  Effect.gen(function* () {
    const waits = new RetryWaits(20)
    const working = waits.during(Effect.sleep("30 seconds"))
    const waiting = waits.during(waits.wait(40_000))
    // From the end of the other call on, it waits alone.
    expect(yield* ended(together(waiting, working))).toEqual([[true, undefined], 40])
    expect(yield* ended(waits.during(waits.wait(15_000)))).toEqual([false, 50])
  }),
)

it.effect("counts the time in which several calls wait once", () =>
  Effect.gen(function* () {
    const waits = new RetryWaits(20)
    const two = [15_000, 12_000].map((millis) => waits.during(waits.wait(millis)))
    expect(yield* ended(together(...two))).toEqual([[true, true], 15])
    expect(yield* ended(waits.during(waits.wait(5000)))).toEqual([true, 20])
    expect(yield* ended(waits.during(waits.wait(1000)))).toEqual([false, 20])
  }),
)

it.effect("counts no time after a wait was interrupted", () =>
  Effect.gen(function* () {
    const waits = new RetryWaits(20)
    const call = waits.during(
      Effect.andThen(
        Effect.race(waits.wait(60_000), Effect.sleep("5 seconds")),
        Effect.sleep("60 seconds"),
      ),
    )
    yield* ended(call)
    expect(yield* ended(waits.during(waits.wait(15_000)))).toEqual([true, 80])
  }),
)

it.effect("begins anew when another attempt has helped", () =>
  Effect.gen(function* () {
    const waits = new RetryWaits(20)
    const call = Effect.andThen(waits.wait(15_000), waits.helped)
    yield* ended(waits.during(call))
    yield* ended(waits.during(call))
    expect(yield* ended(waits.during(waits.wait(19_999)))).toEqual([true, 49.999])
    expect(yield* ended(waits.during(waits.wait(1)))).toEqual([true, 50.001])
    expect(yield* ended(waits.during(waits.wait(1)))).toEqual([false, 50.5])
  }),
)

it.effect(
  "has something done once, after ten seconds of waiting, and does not count its time",
  () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      const onLong = Effect.gen(function* () {
        at.push((yield* Clock.currentTimeMillis) / 1000)
        yield* Effect.sleep("100 seconds")
      })
      const waits = new RetryWaits(20, onLong)
      expect(yield* ended(waits.during(waits.wait(10_000)))).toEqual([true, 10])
      expect(at).toEqual([])
      expect(yield* ended(waits.during(waits.wait(5000)))).toEqual([true, 115])
      expect(yield* ended(waits.during(waits.wait(60_000)))).toEqual([false, 120])
      expect(at).toEqual([10])
    }),
)
