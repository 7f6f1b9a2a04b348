// How many requests are under way, and whose turn is next.
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Slots } from "../../../src/extract/budget/Slots.ts"

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

/** Requests that run until they are ended, and which of them have begun. */
const held = (slots: Slots) => {
  const begun: Array<string> = []
  const start = Effect.fnUntraced(function* (name: string, requestsLeft = 1) {
    const ended = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => void begun.push(name)),
      Deferred.await(ended),
    )
    const fiber = yield* Effect.forkChild(slots.within(work, requestsLeft))
    yield* settle
    const end = Effect.andThen(Deferred.succeed(ended, undefined), settle)
    const interrupt = Effect.andThen(Fiber.interrupt(fiber), settle)
    return { end, interrupt }
  })
  return { begun, start }
}

it.effect("keeps to the size, also while it changes", () =>
  Effect.gen(function* () {
    const slots = new Slots(2)
    const { begun, start } = held(slots)
    const [a, b] = [yield* start("a"), yield* start("b")]
    for (const name of ["c", "d", "e", "f"]) yield* start(name)
    expect(begun).toEqual(["a", "b"])
    slots.resize(1)
    yield* a.end
    expect(begun).toEqual(["a", "b"])
    yield* b.end
    expect(begun).toEqual(["a", "b", "c"])
    slots.resize(3)
    yield* settle
    expect(begun).toEqual(["a", "b", "c", "d", "e"])
  }),
)

it.effect(
  "gives the next slot to the task with the most requests left, then to who came first",
  () =>
    Effect.gen(function* () {
      const { begun, start } = held(new Slots(1))
      let running = yield* start("first")
      const waiting = {
        short: yield* start("short", 1),
        long: yield* start("long", 10),
        middle: yield* start("middle", 9),
        middle2: yield* start("middle2", 9),
      }
      for (const next of [waiting.long, waiting.middle, waiting.middle2, waiting.short]) {
        yield* running.end
        running = next
      }
      expect(begun).toEqual(["first", "long", "middle", "middle2", "short"])
    }),
)

it.effect("forgets who is interrupted, while it waits and while it runs", () =>
  Effect.gen(function* () {
    const { begun, start } = held(new Slots(1))
    const first = yield* start("first")
    const gone = yield* start("gone", 5)
    yield* start("second")
    yield* start("third")
    yield* gone.interrupt
    yield* first.interrupt
    expect(begun).toEqual(["first", "second"])
  }),
)
