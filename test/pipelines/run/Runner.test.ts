// An error in committing a page, and what else may end the reading of the same partition: both are known afterwards.
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { ApiError } from "../../../src/domain/wire/errors.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { queries } from "../../support/warehouseRun.ts"
import { readPages, TASK_SECONDS } from "./pages.ts"

const FIRST = "20260601T000000000Z-000000"
const NEXT = "20260602T000000000Z-000000"

const serviceError = new ApiError({
  reason: { _tag: "ServerError" },
  endpoint: "otc_positions",
  subject: "a",
  status: 500,
  detail: "the service is down",
  attempts: 3,
  responses: [],
})

const tables = [
  "select value from core.readings order by all",
  "select cursor::varchar as cursor from ops.cursors",
  `select "window", outcome, error_tag from ops.tasks order by finished_at`,
]

const landed = { window: "1", outcome: "loaded", error_tag: null }

/** What the failed run left, which the next one reads on from. */
const expectOnlyFirst = Effect.fnUntraced(function* (
  dataDir: string,
  ...tasks: ReadonlyArray<object>
) {
  expect(yield* queries(dataDir, tables)).toEqual([[{ value: 1 }], [{ cursor: "1" }], tasks])
  yield* readPages(dataDir, NEXT)
  expect((yield* queries(dataDir, tables)).slice(0, 2)).toEqual([
    [1, 2, 3, 4, 5, 6].map((value) => ({ value })),
    [{ cursor: "6" }],
  ])
})

describe("an error in committing a page", () => {
  it.live("is raised though the service fails before it is known, and its error is recorded", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const faults = { failing: 2, afterSecond: Effect.fail(serviceError) }
      const raised = yield* Effect.flip(readPages(dataDir, FIRST, faults))
      expect(raised).toMatchObject({ _tag: "LoadError", what: "Committing rows" })
      const rest = { window: "rest", outcome: "failed", error_tag: "ServerError" }
      yield* expectOnlyFirst(dataDir, landed, rest)
    }),
  )

  it.effect("is raised though the task runs out of time, which is recorded", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const isQueued = yield* Deferred.make<void>()
      const read = readPages(dataDir, FIRST, {
        failing: 2,
        afterSecond: Effect.never,
        onMarked: (window) =>
          window === "2" ? Deferred.succeed(isQueued, undefined) : Effect.void,
      })
      const fiber = yield* Effect.forkChild(Effect.flip(read))
      yield* Deferred.await(isQueued)
      yield* TestClock.adjust(`${TASK_SECONDS + 1} seconds`)
      const raised = yield* Fiber.join(fiber)
      expect(raised).toMatchObject({ _tag: "LoadError", what: "Committing rows" })
      const rest = { window: "rest", outcome: "failed", error_tag: "Timeout" }
      yield* expectOnlyFirst(dataDir, landed, rest)
    }),
  )
})
