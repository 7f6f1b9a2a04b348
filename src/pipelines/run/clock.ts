// The machine's clock against the service's, whose responses have a date: rows that are dated ahead stand after those of
// all later runs. Minutes are a problem to report; from hours on, a run loads nothing.
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { MICROS_PER_SECOND, SECONDS_PER_DAY, SECONDS_PER_HOUR } from "../../domain/values/time.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { durationText } from "../../extract/retry.ts"
import { Warehouse } from "../../load/Warehouse.ts"

// Beyond what a service's own clock and the caches on the way are likely to be wrong by.
const MAX_SECONDS_AHEAD = 2 * SECONDS_PER_HOUR
const REPORTED_SECONDS_AHEAD = 5 * 60

export class ClockAhead extends Data.TaggedError("ClockAhead")<{
  /** Milliseconds since 1970 UTC, by this machine. */
  readonly now: number
  readonly secondsAhead: number
}> {
  override get message(): string {
    const { now, secondsAhead } = this
    const [here, there] = [now, now - secondsAhead * 1000].map((at) => new Date(at).toISOString())
    return (
      `This machine's clock says ${here}, ${aheadText(secondsAhead)} ahead of the service's, whose response is dated ${there}. ` +
      "Nothing was loaded: rows would be dated after those of later runs. Set this machine's clock (NTP), then run again; " +
      "if it is right, the service's is behind."
    )
  }
}

/** `20 days`, `3 h`, `12 min`. */
const aheadText = (seconds: number): string =>
  seconds < 2 * SECONDS_PER_DAY
    ? durationText(seconds)
    : `${Math.floor(seconds / SECONDS_PER_DAY)} days`

/** Compares the clocks by the latest response that has a date. */
export const checkClock = Effect.gen(function* () {
  const skew = yield* (yield* ApiClient).clockSkewSeconds
  if (skew === undefined || skew > -MAX_SECONDS_AHEAD) return
  // The clock of a lake never goes back: one that was ahead once would refuse all runs, although this machine's is right.
  const { clockAheadMicros } = yield* Warehouse
  const secondsAhead = -skew - clockAheadMicros() / MICROS_PER_SECOND
  if (secondsAhead < MAX_SECONDS_AHEAD) return
  return yield* new ClockAhead({
    now: (yield* Clock.currentTimeMillis) - clockAheadMicros() / 1000,
    secondsAhead: Math.round(secondsAhead),
  })
})

/** How far the machine's clock is ahead, if that is worth reporting. */
export const reportedClockAhead = Effect.gen(function* () {
  const skew = yield* (yield* ApiClient).clockSkewSeconds
  return skew === undefined || skew > -REPORTED_SECONDS_AHEAD ? undefined : -skew
})

/** For the end of a run and for `status`. */
export const clockAheadText = (secondsAhead: number): string =>
  `This machine's clock was ${aheadText(secondsAhead)} ahead of the service's in the last run, so its rows are dated ahead`
