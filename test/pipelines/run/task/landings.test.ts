// Results of a partition land in order, several at once.
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Queued } from "../../../../src/load/commit/commitQueue.ts"
import type { TaskResult } from "../../../../src/pipelines/model/TaskResult.ts"
import type { Before } from "../../../../src/pipelines/run/task/refusedResult.ts"
import { landings } from "../../../../src/pipelines/run/task/landings.ts"

interface Begun {
  readonly window: string
  readonly queued: Queued
  /** That it is queued behind. */
  readonly before: string | undefined
  readonly commit: Deferred.Deferred<Before, string>
}

/** Reads results of a partition, each a window; what is queued, in order. */
const reading = (results: ReadonlyArray<string>) => {
  const begun: Array<Begun> = []
  const { next, rest } = landings<string, never>(({ window }, before) =>
    Effect.gen(function* () {
      const commit = yield* Deferred.make<Before, string>()
      const queued: Queued = Deferred.makeUnsafe()
      const other = begun.find((each) => each.queued === before?.queued)
      begun.push({ window, queued, before: other?.window, commit })
      return { queued, landed: Deferred.await(commit) }
    }),
  )
  const read = Effect.forEach(results, (window) => {
    const nothing: TaskResult = { window, rows: [], responses: [], requests: 1 }
    return next(nothing)
  })
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.onExit(read, () => rest))
    const queued = Effect.as(Effect.yieldNow, begun).pipe(
      Effect.repeat({ times: 20 }),
      Effect.map((all) => all.map(({ window, before }) => [window, before])),
    )
    const end = (
      window: string,
      how: Effect.Effect<Before, string> = Effect.succeed({ mayMove: true }),
    ) =>
      Effect.forEach(begun, (landing) =>
        landing.window === window ? Deferred.complete(landing.commit, how) : Effect.void,
      )
    return { queued, end, fiber, read: Fiber.join(fiber) }
  })
}

describe("the results of a partition", () => {
  it.effect("are queued one behind the other, four at once", () =>
    Effect.gen(function* () {
      const { queued, end, read } = yield* reading(["1", "2", "3", "4", "5"])
      const four = [
        ["1", undefined],
        ["2", "1"],
        ["3", "2"],
        ["4", "3"],
      ]
      expect(yield* queued).toEqual(four)
      yield* end("2")
      expect(yield* queued).toEqual(four)
      yield* end("1")
      expect(yield* queued).toEqual([...four, ["5", "4"]])
      for (const window of ["3", "4", "5"]) yield* end(window)
      yield* read
    }),
  )

  it.effect("fail together where one can't be stored", () =>
    Effect.gen(function* () {
      const { queued, end, read } = yield* reading(["1", "2"])
      expect((yield* queued).length).toBe(2)
      yield* end("2")
      yield* end("1", Effect.fail("the disk is full"))
      expect(yield* Effect.flip(read)).toBe("the disk is full")
    }),
  )

  it.effect("are all waited for when reading is interrupted", () =>
    Effect.gen(function* () {
      const { queued, end, fiber } = yield* reading(["1", "2", "3", "4", "5"])
      expect((yield* queued).length).toBe(4)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber))
      for (const window of ["1", "2", "3"]) yield* end(window)
      yield* queued
      expect(interrupted.pollUnsafe()).toBeUndefined()
      for (const window of ["4", "5"]) yield* end(window)
      yield* Fiber.join(interrupted)
    }),
  )
})
