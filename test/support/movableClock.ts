// The machine's clock, and one ahead of it by what a test says, so that a limit of time is met when the test wants it
// and not when the machine is slow.
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface MovableClock {
  /** Moves the clock on; sleeps whose time has come then end. */
  readonly advance: (millis: number) => void
  /** Under this clock. */
  readonly under: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

interface Sleeper {
  readonly due: number
  readonly wake: () => void
}

// What a timer of Node takes: longer ones would end at once.
const LONGEST_MILLIS = 2 ** 31 - 1

export const movableClock = (aheadMillis = 0): MovableClock => {
  let ahead = aheadMillis
  const sleepers = new Set<Sleeper>()
  const now = (): number => Date.now() + ahead
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
      const timer = setTimeout(sleeper.wake, Math.min(millis, LONGEST_MILLIS))
      sleepers.add(sleeper)
      return Effect.sync(end)
    })
  return {
    advance: (millis) => {
      ahead += millis
      for (const { due, wake } of sleepers) if (due <= now()) wake()
    },
    under: (work) =>
      Effect.clockWith((clock) =>
        Effect.provideService(work, Clock.Clock, {
          currentTimeMillisUnsafe: now,
          currentTimeMillis: Effect.sync(now),
          currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
          currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
          monotonicTimeNanosUnsafe: () =>
            clock.monotonicTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n,
          monotonicTimeNanos: Effect.map(
            clock.monotonicTimeNanos,
            (nanos) => nanos + BigInt(ahead) * 1_000_000n,
          ),
          sleep,
        }),
      ),
  }
}

/** As if the clock were so much ahead. */
export const ahead = <A, E, R>(millis: number, work: Effect.Effect<A, E, R>) =>
  movableClock(millis).under(work)
