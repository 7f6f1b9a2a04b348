// Decides when the requests of a process may start, at its own pace or a shared one (sharedStarts.ts).
import * as Effect from "effect/Effect"
import { Pace } from "./Pace.ts"
import { type Learnt, type PaceOptions, rememberedState } from "./PaceState.ts"

export interface Starts {
  /** How many requests this process may have under way. */
  readonly concurrency: () => number
  /** The pace as far as this process knows it. Its times, also those passed to `observe`, are of the pace's clock. */
  readonly pace: () => Pace
  /** The time of the pace's clock in milliseconds. */
  readonly now: Effect.Effect<number>
  /** Reserves a start for now and returns 0, or returns how many milliseconds to wait before trying again. */
  readonly reserve: Effect.Effect<number>
  /** Changes the pace after a request. */
  readonly observe: (change: (pace: Pace) => void) => void
  /** Wraps a request, including its wait for a start. */
  readonly during: <A, E>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Starts at a pace that no other process shares. */
export const ownStarts = (
  options: PaceOptions,
  learnt: Learnt | undefined,
  steadyNow: () => number,
): Starts => {
  const state = learnt === undefined ? undefined : rememberedState(options, learnt, steadyNow())
  const pace = new Pace(options, state)
  return {
    concurrency: () => pace.concurrency,
    pace: () => pace,
    now: Effect.sync(steadyNow),
    reserve: Effect.sync(() => pace.reserve(steadyNow())),
    observe: (change) => change(pace),
    during: (request) => request,
  }
}
