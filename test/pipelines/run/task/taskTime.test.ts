// The time limit of a task while the machine's clock is set.
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ActiveTime } from "../../../../src/domain/run/ActiveTime.ts"
import { movedClock } from "../../../../src/domain/run/movedClock.ts"
import { outOfTime } from "../../../../src/pipelines/run/task/taskTime.ts"

const HOUR_MICROS = 3_600_000_000

it.effect.each([
  ["forward", 3 * HOUR_MICROS],
  ["back", -3 * HOUR_MICROS],
] as const)("is met by the time that has passed where it is set %s", ([, moved]) =>
  Effect.gen(function* () {
    let ahead = 0
    const clock = movedClock(yield* Clock.Clock, () => ahead)
    const activeTime = yield* Effect.provideService(ActiveTime.start, Clock.Clock, clock)
    const limit = outOfTime(activeTime, 600, "fees", "vault")
    const running = yield* Effect.forkChild(Effect.provideService(limit, Clock.Clock, clock))
    activeTime.pause()
    yield* TestClock.adjust("5 minutes")
    activeTime.resume()
    ahead = moved
    yield* TestClock.adjust("599 seconds")
    expect(running.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 second")
    const ended = running.pollUnsafe()
    expect(String(ended)).toContain("not done within 600 s")
  }),
)
