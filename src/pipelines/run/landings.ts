// The order in which the results of one partition land.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { TaskResult } from "../model/TaskResult.ts"

/** How many results of a partition may wait for their commits at once. */
const AT_ONCE = 4

export interface Landings<E, R> {
  /** Lands a result, or begins to; returns whether to read on. */
  readonly next: (result: TaskResult) => Effect.Effect<boolean, E, R>
  /** Waits for those that are landing. */
  readonly rest: Effect.Effect<void, E>
}

/**
 * A result that moves the partition's cursor waits until all before it have landed, and what follows waits for it. The
 * others (an empty response, a snapshot, a series with a cursor of its own) can share a commit.
 */
export const landings = <E, R>(
  entity: string,
  land: (result: TaskResult) => Effect.Effect<boolean, E, R>,
): Landings<E, R> => {
  let landing: ReadonlyArray<Fiber.Fiber<boolean, E>> = []
  /** Waits for the oldest, until `count` are left. */
  const leave = Effect.fnUntraced(function* (count: number) {
    while (landing.length > count) {
      const [oldest, ...others] = landing
      landing = others
      if (oldest !== undefined) yield* Fiber.join(oldest)
    }
  })
  return {
    next: Effect.fnUntraced(function* (result) {
      if (result.cursor?.entity === entity) {
        yield* leave(0)
        return yield* land(result)
      }
      yield* leave(AT_ONCE - 1)
      landing = [...landing, yield* Effect.forkChild(land(result), { startImmediately: true })]
      return true
    }),
    rest: leave(0),
  }
}
