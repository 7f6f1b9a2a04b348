// Runs groups of pipelines on their cron expressions until interrupted. One run at a time by construction: the loop
// waits for a run to end before it looks at the clock again.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { MILLIS_PER_HOUR } from "../../domain/values/time.ts"
import { dueGroups, type Group, isMaintenance, type LastStarts, nextFiring } from "./groups.ts"

export interface ScheduleOptions<E, R> {
  readonly groups: ReadonlyArray<Group>
  /** Longest random delay after a firing, so that many installations don't send requests in the same second. */
  readonly jitterSeconds: number
  /** Where the last starts are kept between processes. */
  readonly lastStarts: Effect.Effect<LastStarts, E, R>
  /** Returns whether they were recorded; if not, they are kept for this process, and recorded with the next. */
  readonly recordStarts: (lastStarts: LastStarts) => Effect.Effect<boolean, E, R>
  /** Runs these groups and returns those that ended well; the others are run again before their next firing. */
  readonly run: (groups: ReadonlyArray<Group>) => Effect.Effect<ReadonlyArray<Group>, E, R>
  /** Called before a wait, with the instant of the next run, milliseconds since 1970. */
  readonly onIdle?: (next: number) => Effect.Effect<void>
  /** Run what is due once and return. */
  readonly once?: boolean
}

// The clock is read again after this long at most: a timer does not count the time a machine sleeps.
const LONGEST_SLEEP_MILLIS = 30_000

// A daily group must not wait a day because the service was down for a minute. Maintenance is in no hurry, and what keeps
// it from succeeding seldom ends by itself.
const retryMillis = (group: Group): number => (isMaintenance(group) ? MILLIS_PER_HOUR : 300_000)

export const schedule = <E, R>(options: ScheduleOptions<E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const { groups, once } = options
    /** When the newest run of each group had ended, if it failed. */
    const failedAt = new Map<Group, number>()
    let unrecorded: LastStarts = new Map()
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const waiting = groups.filter((group) => waits(group, failedAt.get(group), now))
      const others = groups.filter((group) => !waiting.includes(group))
      const lastStarts: LastStarts = new Map([...(yield* options.lastStarts), ...unrecorded])
      const due = dueGroups(others, lastStarts, now)
      if (due.length > 0) {
        // A group's start is recorded once its run has ended well: a killed or failed one is due again, alone.
        const ended = yield* options.run(due)
        const endedAt = yield* Clock.currentTimeMillis
        for (const group of due) {
          if (ended.includes(group)) failedAt.delete(group)
          else failedAt.set(group, endedAt)
        }
        if (ended.length > 0) {
          const starts = new Map([...lastStarts, ...ended.map(({ name }) => [name, now] as const)])
          unrecorded = (yield* options.recordStarts(starts)) ? new Map() : starts
        }
        if (once === true) return
        continue
      }
      const retry = Math.min(...waiting.map((group) => retryAt(group, failedAt.get(group))))
      const firing = nextFiring(others, now)
      const next = Math.min(retry, firing)
      yield* options.onIdle?.(next) ?? Effect.void
      if (once === true) return
      // A run that is repeated does not wait for another group's jitter, and takes with it what has become due.
      const jitterMillis = (yield* Random.next) * options.jitterSeconds * 1000
      yield* sleepUntil(Math.min(retry, firing + jitterMillis))
    }
  })

const retryAt = (group: Group, failedAt = Infinity): number => failedAt + retryMillis(group)

/** Whether a group's next attempt is still to come. One that failed later than now did so while the clock was ahead. */
const waits = (group: Group, failedAt: number | undefined, now: number): boolean =>
  failedAt !== undefined && failedAt <= now && now < retryAt(group, failedAt)

/** Returns early once the clock was set back to before the wait: the caller then looks again at what is due. */
const sleepUntil = Effect.fnUntraced(function* (instant: number) {
  const wait = instant - (yield* Clock.currentTimeMillis)
  for (;;) {
    const left = instant - (yield* Clock.currentTimeMillis)
    if (left <= 0 || left > wait) return
    yield* Effect.sleep(Math.min(left, LONGEST_SLEEP_MILLIS))
  }
})
