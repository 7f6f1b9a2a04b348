// The instants of a writer, in the order in which it writes.
import type * as Clock from "effect/Clock"
import { microsFromMillis } from "../../domain/values/time.ts"

/** Instants in microseconds since 1970, each later than the one before. */
export const ticks = (clock: Clock.Clock) => {
  const now = () => microsFromMillis(clock.currentTimeMillisUnsafe())
  let last = 0
  return {
    tick: () => (last = Math.max(last + 1, now())),
    /** Returns now, or `earliest` if that is later; the ticks follow. */
    startAt: (earliest: number) => (last = Math.max(last, earliest, now())),
  }
}
