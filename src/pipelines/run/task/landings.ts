// The order in which the results of one partition land: each after those before it, several in one commit.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { TaskResult } from "../../model/TaskResult.ts"
import type { Queued } from "./queueTask.ts"
import type { Before } from "./refusedResult.ts"

/** How many results of a partition may wait for their commits at once. */
const AT_ONCE = 4

/** A result whose batch is queued. */
export interface Landing<E, R = never> {
  readonly queued: Queued
  /** Waits for what becomes of it, and what that means for the results after it. */
  readonly landed: Effect.Effect<Before, E, R>
}

export interface Landings<E, R> {
  /** Queues a result, once fewer than `AT_ONCE` are landing. */
  readonly next: (result: TaskResult) => Effect.Effect<void, E, R>
  /** Waits for those that are landing. Fails if one of all did not land, whenever and however often it is run. */
  readonly rest: Effect.Effect<void, E>
}

/** `land` queues a result behind the one before it, if there is one. */
export const landings = <E, R>(
  land: (result: TaskResult, before: Landing<E> | undefined) => Effect.Effect<Landing<E, R>, E, R>,
): Landings<E, R> => {
  let landing: ReadonlyArray<Landing<E>> = []
  let failed: Exit.Exit<unknown, E> | undefined
  /** Waits for the oldest, until `count` are left. */
  const leave = Effect.fnUntraced(function* (count: number) {
    while (landing.length > count) {
      const [oldest, ...others] = landing
      landing = others
      if (oldest === undefined) continue
      const exit = yield* Effect.exit(oldest.landed)
      if (Exit.isFailure(exit)) failed ??= exit
    }
    if (failed !== undefined) yield* failed
  })
  return {
    // What is queued is committed: it must not be forgotten.
    next: (result) =>
      Effect.uninterruptible(
        Effect.gen(function* () {
          yield* leave(AT_ONCE - 1)
          const { queued, landed } = yield* land(result, landing.at(-1))
          const fiber = yield* Effect.forkChild(landed, {
            startImmediately: true,
            uninterruptible: true,
          })
          landing = [...landing, { queued, landed: Fiber.join(fiber) }]
        }),
      ),
    rest: leave(0),
  }
}
