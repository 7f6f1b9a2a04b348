// Results of a partition that need no order land together; one that moves its cursor waits for all before it.
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { TaskResult } from "../../src/pipelines/model/TaskResult.ts"
import { landings } from "../../src/pipelines/run/landings.ts"

interface Landing {
  readonly window: string
  readonly commit: Deferred.Deferred<boolean, string>
}

/** Reads results of the partition `vault`, each a window and whose cursor it moves; what has begun to land, in order. */
const reading = (results: ReadonlyArray<readonly [window: string, cursorOf?: string]>) => {
  const begun: Array<Landing> = []
  const { next, rest } = landings("vault", ({ window }) =>
    Effect.flatMap(Deferred.make<boolean, string>(), (commit) => {
      begun.push({ window, commit })
      return Deferred.await(commit)
    }),
  )
  const read = Effect.forEach(results, ([window, cursorOf]) => {
    const nothing: TaskResult = { window, rows: [], responses: [], requests: 1 }
    return next(
      cursorOf === undefined ? nothing : { ...nothing, cursor: { entity: cursorOf, value: null } },
    )
  })
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.onExit(read, () => rest))
    const windows = Effect.as(Effect.yieldNow, begun).pipe(
      Effect.repeat({ times: 20 }),
      Effect.map((all) => all.map(({ window }) => window)),
    )
    const end = (window: string, how: Effect.Effect<boolean, string> = Effect.succeed(true)) =>
      Effect.forEach(begun, (landing) =>
        landing.window === window ? Deferred.complete(landing.commit, how) : Effect.void,
      )
    return { windows, end, read: Fiber.join(fiber) }
  })
}

describe("the results of a partition", () => {
  it.effect("land together where none moves its cursor, four at once", () =>
    Effect.gen(function* () {
      const { windows, end, read } = yield* reading([
        ["1"],
        ["2", "vault unsmoothed 1d"],
        ["3"],
        ["4"],
        ["5"],
      ])
      expect(yield* windows).toEqual(["1", "2", "3", "4"])
      yield* end("1")
      expect(yield* windows).toEqual(["1", "2", "3", "4", "5"])
      for (const window of ["2", "3", "4", "5"]) yield* end(window)
      expect(yield* read).toEqual([true, true, true, true, true])
    }),
  )

  it.effect("wait for one that moves its cursor, and it waits for them", () =>
    Effect.gen(function* () {
      const { windows, end, read } = yield* reading([["1"], ["2"], ["3", "vault"], ["4"]])
      expect(yield* windows).toEqual(["1", "2"])
      yield* end("1")
      expect(yield* windows).toEqual(["1", "2"])
      yield* end("2")
      expect(yield* windows).toEqual(["1", "2", "3"])
      // What follows would move the cursor past it.
      yield* end("3", Effect.succeed(false))
      expect(yield* windows).toEqual(["1", "2", "3", "4"])
      yield* end("4")
      expect(yield* read).toEqual([true, true, false, true])
    }),
  )

  it.effect("fail together where one can't be stored", () =>
    Effect.gen(function* () {
      const { windows, end, read } = yield* reading([["1"], ["2"]])
      expect(yield* windows).toEqual(["1", "2"])
      yield* end("2")
      yield* end("1", Effect.fail("the disk is full"))
      expect(yield* Effect.flip(read)).toBe("the disk is full")
    }),
  )
})
