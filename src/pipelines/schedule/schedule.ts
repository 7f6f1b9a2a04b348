// Runs groups of pipelines on their cron expressions until interrupted. One run at a time by construction: the loop
// waits for a run to end before it looks at the clock again.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { dueGroups, type Group, type LastStarts, nextFiring } from "./groups.ts"

export interface ScheduleOptions<E, R> {
  readonly groups: ReadonlyArray<Group>
  /** Longest random delay after a firing, so that many installations don't send requests in the same second. */
  readonly jitterSeconds: number
  /** Where the last starts are kept between processes. */
  readonly lastStarts: Effect.Effect<LastStarts, E, R>
  readonly recordStarts: (lastStarts: LastStarts) => Effect.Effect<void, E, R>
  /** Runs these groups and returns those that ended well; the others are run again before their next firing. */
  readonly run: (groups: ReadonlyArray<Group>) => Effect.Effect<ReadonlyArray<Group>, E, R>
  /** Called before a wait, with the instant of the next run, milliseconds since 1970. */
  readonly onIdle?: (next: number) => Effect.Effect<void>
  /** Run what is due once and return. */
  readonly once?: boolean
}

// The clock is read again after this long at most: a timer does not count the time a machine sleeps.
const LONGEST_SLEEP_MILLIS = 30_000

// A daily group must not wait a day because the service was down for a minute.
const RETRY_MILLIS = 300_000

export const schedule = <E, R>(options: ScheduleOptions<E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    for (;;) {
      const ran = yield* runDue(options)
      if (ran !== "nothing due" && options.once === true) return
      if (ran === "done") continue
      const now = yield* Clock.currentTimeMillis
      const next = ran === "failed" ? now + RETRY_MILLIS : nextFiring(options.groups, now)
      yield* options.onIdle?.(next) ?? Effect.void
      if (options.once === true) return
      const jitterSeconds = ran === "failed" ? 0 : options.jitterSeconds
      yield* sleepUntil(next + (yield* Random.next) * jitterSeconds * 1000)
    }
  })

/** A group's start is recorded once its run has ended well: a killed or failed one is due again, alone. */
const runDue = Effect.fnUntraced(function* <E, R>(options: ScheduleOptions<E, R>) {
  const lastStarts = yield* options.lastStarts
  const now = yield* Clock.currentTimeMillis
  const due = dueGroups(options.groups, lastStarts, now)
  if (due.length === 0) return "nothing due"
  const ended = yield* options.run(due)
  if (ended.length > 0) {
    yield* options.recordStarts(
      new Map([...lastStarts, ...ended.map(({ name }) => [name, now] as const)]),
    )
  }
  return ended.length < due.length ? "failed" : "done"
})

/** Returns early once the clock was set back to before the wait: the caller then looks again at what is due. */
const sleepUntil = Effect.fnUntraced(function* (instant: number) {
  const wait = instant - (yield* Clock.currentTimeMillis)
  for (;;) {
    const left = instant - (yield* Clock.currentTimeMillis)
    if (left <= 0 || left > wait) return
    yield* Effect.sleep(Math.min(left, LONGEST_SLEEP_MILLIS))
  }
})
