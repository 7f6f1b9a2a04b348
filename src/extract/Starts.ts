// When the requests of a process may start. Its pace is its own, or shared with other processes (sharedStarts.ts).
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Pace, type PaceOptions } from "./Pace.ts"

export interface Starts {
  /** How many requests this process may have under way. */
  readonly concurrency: () => number
  /** What is known of the pace. By the pace's clock, as all that `observe` receives. */
  readonly pace: () => Pace
  /** The time of the pace's clock, milliseconds. */
  readonly now: Effect.Effect<number>
  /** Reserves a start for now and returns 0, or returns how many milliseconds to wait before trying again. */
  readonly reserve: Effect.Effect<number>
  /** Changes the pace by what became of a request. */
  readonly observe: (change: (pace: Pace) => void) => void
  /** Around all that one request waits for and does. */
  readonly during: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** With a pace that no other process shares. */
export const ownStarts = (options: PaceOptions): Starts => {
  const pace = new Pace(options)
  return {
    concurrency: () => pace.concurrency,
    pace: () => pace,
    now: Clock.currentTimeMillis,
    reserve: Effect.map(Clock.currentTimeMillis, (now) => pace.reserve(now)),
    observe: (change) => change(pace),
    during: (request) => request,
  }
}
