// The records of tasks in ops.tasks: one for each task of a run, whoever commits it.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import {
  batchOf,
  commit,
  commitTogether,
  inWarehouse,
  once,
  reading,
  readingsBatch,
  rows,
  rowsOf,
} from "../sample.ts"

describe("the records", () => {
  it.effect("of the tasks of one commit in their order, each with a time of its own", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          const windows = ["c", "a", "d", "b"]
          yield* commitTogether(
            windows.map((window) => {
              const { task } = batchOf([])
              return batchOf([], { task: { ...task, window } })
            }),
          )
          const recorded =
            yield* rows(`SELECT "window", count(*) OVER (PARTITION BY finished_at) AS tied
          FROM ops.tasks ORDER BY finished_at`)
          expect(recorded).toEqual(windows.map((window) => ({ window, tied: 1 })))
        }),
      )
    }),
  )

  it.effect("of a task once, whether this process recorded it before or another one", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { task } = batchOf([])
      const record = (requests: number) => {
        const response = rowsOf(once, [{ vault_address: "a", day: 19_753, value: requests }])
        const bookkeeping = [{ ...response, haveNewKeys: true } as const]
        return commit(batchOf([], { task: { ...task, requests }, bookkeeping }))
      }
      const recorded = rows("SELECT requests FROM ops.tasks")
      const ofRun = Effect.gen(function* () {
        yield* (yield* Warehouse).startRun({ command: "sync", version: "test" })
        yield* record(1)
        yield* record(2)
        expect(yield* rows("SELECT value FROM core.once")).toEqual([{ value: 1 }])
        return yield* recorded
      })
      expect(yield* inWarehouse(dataDir, ofRun)).toEqual([{ requests: 2 }])
      const goneOn = Effect.andThen(commit(batchOf([], { task })), recorded)
      expect(yield* inWarehouse(dataDir, goneOn)).toEqual([{ requests: 1 }])
    }),
  )

  it.effect("counts what two workers committed of one task", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const claimed = (epoch: number) => {
        const { task } = readingsBatch([])
        const claim = { runId: "run-1", pipeline: task.pipeline, entity: task.entity, epoch }
        return { task: { ...task, window: "all", requests: 2 }, claim }
      }
      const totals = yield* inWarehouse(
        dataDir,
        Effect.gen(function* () {
          const { startRun, finishRun } = yield* Warehouse
          yield* startRun({ command: "sync", version: "test" })
          yield* commit(readingsBatch([reading("a", 0, 1), reading("a", 1, 1)], claimed(1)))
          // It died before it could say so; the next one reads the task from its beginning.
          const all = [0, 1, 2].map((at) => reading("a", at, 1))
          expect(yield* commit(readingsBatch(all, claimed(2)))).toEqual({
            inserted: 1,
            revised: 0,
            unchanged: 2,
          })
          return yield* finishRun("complete")
        }),
      )
      expect(totals).toMatchObject({ tasks: 1, requests: 4, rowsInserted: 3, rowsRevised: 0 })
    }),
  )

  const claimed = (epoch: number, entity: string, window: string) => ({
    task: { ...batchOf([]).task, entity, window, requests: 2 },
    claim: { runId: "run-1", pipeline: "sample", entity, epoch },
  })

  it.effect("adds to a task what an earlier worker recorded of the same window, and no other", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const first = Effect.gen(function* () {
        yield* commit(readingsBatch([reading("a", 0, 1)], claimed(1, "a", "1")))
        const revising = [reading("a", 0, 2), reading("a", 1, 2)]
        yield* commit(readingsBatch(revising, claimed(1, "a", "2")))
      })
      yield* inWarehouse(dataDir, first)
      const second = Effect.gen(function* () {
        const again = [reading("a", 0, 2), reading("a", 1, 2)]
        yield* commit(readingsBatch(again, claimed(2, "a", "2")))
        yield* commit(readingsBatch([reading("a", 2, 2)], claimed(2, "a", "3")))
        return yield* rows(`SELECT "window", outcome, requests::int AS requests,
          rows_inserted::int AS inserted, rows_revised::int AS revised,
          rows_unchanged::int AS unchanged, seconds FROM ops.tasks ORDER BY "window"`)
      })
      const loaded = { outcome: "loaded", requests: 2, inserted: 1, revised: 0, unchanged: 0 }
      expect(yield* inWarehouse(dataDir, second)).toEqual([
        { ...loaded, window: "1", seconds: 0.5 },
        { ...loaded, window: "2", requests: 4, revised: 1, unchanged: 2, seconds: 1 },
        { ...loaded, window: "3", seconds: 0.5 },
      ])
    }),
  )

  it.effect("of a task that was recorded before once, though others of its commit are new", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* inWarehouse(dataDir, commit(batchOf([], claimed(1, "a", "all"))))
      const second = Effect.gen(function* () {
        const batches = [claimed(1, "b", "all"), claimed(2, "a", "all"), claimed(1, "c", "all")]
        yield* commitTogether(batches.map((each) => batchOf([], each)))
        return yield* rows("SELECT entity, requests::int AS requests FROM ops.tasks ORDER BY ALL")
      })
      expect(yield* inWarehouse(dataDir, second)).toEqual([
        { entity: "a", requests: 4 },
        { entity: "b", requests: 2 },
        { entity: "c", requests: 2 },
      ])
    }),
  )
})
