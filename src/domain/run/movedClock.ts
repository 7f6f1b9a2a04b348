// A clock that is ahead of another clock. Sleeping takes the same time on both.
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { MICROS_PER_MILLI } from "../values/time.ts"

const NANOS_PER_MICRO = 1000n

/** `microsAhead` is called each time, and may return a negative number. */
export const movedClock = (clock: Clock.Clock, microsAhead: () => number): Clock.Clock => {
  const millis = () =>
    clock.currentTimeMillisUnsafe() + Math.round(microsAhead() / MICROS_PER_MILLI)
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(microsAhead()) * NANOS_PER_MICRO
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration),
  }
}
