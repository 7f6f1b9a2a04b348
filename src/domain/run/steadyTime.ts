// Time that goes on while the machine's clock is set: after it was set back by an hour, a wait until an instant would last an
// hour longer; after it was set forward, a limit of time would be over.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const NANOS_PER_MILLI = 1_000_000n

/** Milliseconds since 1970 by the clock as it is now, and from now on by how much time has passed. */
export const steadyTime: Effect.Effect<() => number> = Effect.map(Clock.Clock, (clock) => {
  const startedAt = clock.currentTimeMillisUnsafe()
  const since = clock.monotonicTimeNanosUnsafe()
  return () => startedAt + Number((clock.monotonicTimeNanosUnsafe() - since) / NANOS_PER_MILLI)
})
