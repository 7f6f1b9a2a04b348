// The machine's clock against the service's, whose responses have a date: what is dated ahead stands after all that later runs
// write, and a run whose day began late ends without the newest points. Minutes are a problem to report; from hours on, a run
// loads nothing.
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { MICROS_PER_SECOND, SECONDS_PER_DAY } from "../../domain/values/time.ts"
import { MAX_CLOCK_SECONDS_OFF } from "../../domain/run/clockTolerance.ts"
import { ApiClient } from "../../extract/ApiClient.ts"
import { durationText } from "../../extract/retry.ts"
import { Warehouse } from "../../load/Warehouse.ts"

const REPORTED_SECONDS_OFF = 5 * 60

export class ClockWrong extends Data.TaggedError("ClockWrong")<{
  /** Milliseconds since 1970 UTC, by the clock. */
  readonly now: number
  /** Negative: behind. */
  readonly secondsAhead: number
  /** All machines that write a lake go by one clock, that of its PostgreSQL. */
  readonly isOfLake: boolean
  /** Whether responses without a date had been loaded before. */
  readonly hasLoaded?: boolean
}> {
  override get message(): string {
    const { now, secondsAhead, isOfLake, hasLoaded = false } = this
    const [here, there] = [now, now - secondsAhead * 1000].map((at) => new Date(at).toISOString())
    const isAhead = secondsAhead > 0
    const clock = isOfLake ? "The clock of the lake's PostgreSQL" : "This machine's clock"
    const why = isAhead
      ? "rows would be dated after those of later runs"
      : "the newest points would be missing, and rows would be dated before they were there"
    return (
      `${clock} says ${here}, ${differenceText(secondsAhead)} the service's, whose response is dated ${there}. ` +
      `Nothing ${hasLoaded ? "more " : ""}was loaded: ${why}. Set the clock (NTP), then run again; ` +
      `if it is right, the service's clock is ${isAhead ? "behind" : "ahead"}, and only its operator can correct it.`
    )
  }
}

/** `20 days ahead of`, `3 h behind`. */
const differenceText = (secondsAhead: number): string => {
  const seconds = Math.abs(secondsAhead)
  const text =
    seconds < 2 * SECONDS_PER_DAY
      ? durationText(seconds)
      : `${Math.floor(seconds / SECONDS_PER_DAY)} days`
  return `${text} ${secondsAhead > 0 ? "ahead of" : "behind"}`
}

/** Compares the clocks by the newest dates (`ApiClient.clockSkewSeconds`). */
export const checkClock = Effect.gen(function* () {
  const skew = yield* (yield* ApiClient).clockSkewSeconds
  if (skew === undefined || Math.abs(skew) < MAX_CLOCK_SECONDS_OFF) return
  const { clockAheadMicros } = yield* Warehouse
  const now = yield* Clock.currentTimeMillis
  const isOfLake = clockAheadMicros() !== 0
  if (skew > 0) return yield* new ClockWrong({ now, secondsAhead: -skew, isOfLake })
  // The clock of a lake never goes back: one that was ahead once would refuse all runs, although this machine's is right.
  const secondsAhead = Math.round(-skew - clockAheadMicros() / MICROS_PER_SECOND)
  if (secondsAhead < MAX_CLOCK_SECONDS_OFF) return
  return yield* new ClockWrong({
    now: now - clockAheadMicros() / 1000,
    secondsAhead,
    isOfLake: false,
  })
})

/**
 * How far the clock is ahead, or, negative, behind, if that is worth reporting. Where rows are stored that a clock dated hours
 * ahead, later ones are dated after them: as far as these are ahead, the warehouse is.
 */
export const reportedClockAhead = Effect.gen(function* () {
  const { openedAt } = yield* Warehouse
  const rowsAhead = openedAt / MICROS_PER_SECOND - (yield* Clock.currentTimeMillis) / 1000
  if (rowsAhead >= MAX_CLOCK_SECONDS_OFF) return Math.round(rowsAhead)
  const skew = yield* (yield* ApiClient).clockSkewSeconds
  return skew === undefined || Math.abs(skew) < REPORTED_SECONDS_OFF ? undefined : -skew
})

/** For the end of a run and for `status`. A run whose own clock is hours ahead loads nothing, so that of an earlier one was. */
export const clockText = (secondsAhead: number): string =>
  secondsAhead >= MAX_CLOCK_SECONDS_OFF
    ? `A wrong clock dated the newest rows ${differenceText(secondsAhead)} the present; until that time has come, new rows are dated after them`
    : `This machine's clock was ${differenceText(secondsAhead)} the service's in the last run, so ${
        secondsAhead > 0
          ? "its rows are dated ahead"
          : "the points of a day that had just begun are read by a later run"
      }`

/** What to do about it, without the full stop. */
export const clockAdvice = (secondsAhead: number): string =>
  secondsAhead >= MAX_CLOCK_SECONDS_OFF
    ? "Check that the clock is right now (NTP); a backup made before that run has no such rows"
    : "Set the clock (NTP), or, if it is right, tell the service's operator"
