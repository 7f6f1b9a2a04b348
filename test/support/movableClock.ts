// The machine's clock, moved on by what a test says and as slow as the machine, so that a limit of time is met when the
// test wants it and not when the machine has much to do.
import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface MovableClock {
  /** Moves the clock on; sleeps whose time has come then end. */
  readonly advance: (millis: number) => void
  /** Milliseconds since some instant. */
  readonly monotonic: () => number
  /** Under this clock. */
  readonly under: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

// What a timer of Node takes: longer ones would end at once.
const LONGEST_MILLIS = 2 ** 31 - 1

/** `slowness`: how many seconds of the machine are one of the clock's. */
export const movableClock = ({ aheadMillis = 0, slowness = 1 } = {}): MovableClock => {
  let ahead = aheadMillis
  const sleepers = new Set<Sleeper>()
  const [startedAt, since] = [Date.now(), performance.now()]
  const monotonic = (): number => since + (performance.now() - since) / slowness + ahead
  const now = (): number => Math.floor(startedAt + monotonic() - since)
  const nanos = (): bigint => BigInt(Math.floor(monotonic() * 1e6))
  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const millis = Duration.toMillis(duration)
      const end = (): void => {
        clearTimeout(timer)
        sleepers.delete(sleeper)
      }
      const sleeper: Sleeper = {
        due: now() + millis,
        wake: () => {
          end()
          resume(Effect.void)
        },
      }
      const timer = setTimeout(sleeper.wake, Math.min(millis * slowness, LONGEST_MILLIS))
      sleepers.add(sleeper)
      return Effect.sync(end)
    })
  return {
    advance: (millis) => {
      ahead += millis
      for (const { due, wake } of sleepers) if (due <= now()) wake()
    },
    monotonic,
    under: (work) =>
      Effect.provideService(work, Clock.Clock, {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
        monotonicTimeNanosUnsafe: nanos,
        monotonicTimeNanos: Effect.sync(nanos),
        sleep,
      }),
  }
}

/** As if the clock were so much ahead. */
export const ahead = <A, E, R>(millis: number, work: Effect.Effect<A, E, R>) =>
  movableClock({ aheadMillis: millis }).under(work)

/**
 * `it.live`, at an instant in the past of every machine: the day does not change in the middle of a test. What a scripted
 * service says is of `now`.
 */
export const fixedDay = (instant: string) => {
  const now = Date.parse(instant)
  const clock = movableClock({ aheadMillis: now - Date.now() })
  const live = <A, E>(name: string, test: () => Effect.Effect<A, E, Scope.Scope>): void =>
    it.live(name, () => clock.under(test()))
  return { now, live }
}
