// What a task leaves when its results are committed.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../../../src/archive/ResponseArchive.ts"
import type { TaskResult } from "../../../../src/pipelines/model/TaskResult.ts"
import { queueTask } from "../../../../src/pipelines/run/task/queueTask.ts"
import { inWarehouse, rows } from "../../../load/sample.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { queries } from "../../../support/warehouseRun.ts"
import { readPages } from "../pages.ts"

describe("a page whose rows name a response that its task does not have", () => {
  it.live("is a failed task: its rows could not be traced", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const { outcomes } = yield* readPages(dataDir, "20260601T000000000Z-000000", { unnamed: 2 })
      expect(outcomes).toEqual({ loaded: 1, failed: 1 })
      const [stored, failed] = yield* queries(dataDir, [
        "select value from core.readings",
        "select error_text from ops.tasks where outcome = 'failed'",
      ])
      expect(stored).toEqual([{ value: 1 }])
      expect(failed).toMatchObject([
        { error_text: expect.stringContaining("a row names a response that is archived") },
      ])
    }),
  )
})

describe("the record of a task", () => {
  it.live("has the series that was read, and the days of it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const task = {
        runId: "run-1",
        pipeline: "apy_history",
        entity: "a",
        endpoint: "apy",
        outcome: "landed" as const,
        now: 0,
        seconds: 1.5,
        claim: undefined,
      }
      const record = (window: string, more: Partial<TaskResult>) =>
        Effect.gen(function* () {
          const result = { window, rows: [], responses: [], requests: 1, ...more }
          const { committed } = yield* queueTask(
            result,
            task,
            { outcome: "landed", rows: [] },
            undefined,
          )
          yield* committed
        })
      const work = Effect.gen(function* () {
        yield* record("1", { series: "30d", covers: { from: 0, to: 2 } })
        yield* record("2", {})
        return yield* rows(
          `select series, covers_from::varchar as "from", covers_to::varchar as "to", seconds
           from ops.tasks order by "window"`,
        )
      })
      const archive = ResponseArchive.layer({
        store: folderStore(join(dataDir, "raw")),
        runId: "run-1",
      })
      const found = yield* inWarehouse(dataDir, Effect.provide(work, archive), { tables: [] })
      expect(found).toEqual([
        { series: "30d", from: "1970-01-01", to: "1970-01-03", seconds: 1.5 },
        { series: null, from: null, to: null, seconds: 1.5 },
      ])
    }),
  )
})
