// What a task leaves when its results are committed.
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { folderStore } from "../../../../src/archive/folderStore.ts"
import { ResponseArchive } from "../../../../src/archive/ResponseArchive.ts"
import { unendedSegments } from "../../../../src/archive/segments.ts"
import { LoadError, type LoadErrorReason } from "../../../../src/load/errors.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
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

describe("the segment of a process that ends", () => {
  const runId = "20260601T000000000Z-000000"

  /** The segments without an end after a task whose attempts to commit end so. */
  const unended = (...failures: ReadonlyArray<LoadErrorReason | undefined>) =>
    Effect.gen(function* () {
      const store = folderStore(yield* temporaryFolder)
      const left = [...failures]
      const warehouse = {
        ...(yield* Warehouse),
        queue: () => {
          const reason = left.shift()
          const failure = { what: "Committing", why: "it failed", advice: "Run again." }
          const queued = Deferred.makeUnsafe<typeof nothingChanged, LoadError>()
          const exit =
            reason === undefined
              ? Effect.succeed(nothingChanged)
              : Effect.fail(new LoadError({ reason, ...failure }))
          return Effect.as(Deferred.complete(queued, exit), queued)
        },
      }
      const work = Effect.gen(function* () {
        const archive = yield* ResponseArchive
        const exchange = { endpoint: "fees", method: "GET", url: "http://localhost/" }
        const about = { ...exchange, requestBody: null, inputs: "{}", subject: "null", status: 200 }
        const response = yield* archive.keep({ ...about, body: Buffer.from("{}"), isJson: true })
        for (const _ of failures) {
          const { committed } = yield* queueTask(
            { window: "all", rows: [], responses: [response], requests: 1 },
            {
              runId,
              pipeline: "fees",
              entity: "-",
              endpoint: "fees",
              outcome: "landed",
              now: 0,
              seconds: 1,
              claim: undefined,
            },
            { outcome: "landed", rows: [] },
            undefined,
          )
          yield* Effect.exit(committed)
        }
        yield* archive.end
      })
      const archive = ResponseArchive.layer({ store, runId, worker: "w1" })
      yield* work.pipe(Effect.provideService(Warehouse, warehouse), Effect.provide(archive))
      return yield* Effect.promise(() => unendedSegments(store, runId))
    })

  it.live("has an end unless nobody knows whether one of its commits happened", () =>
    Effect.gen(function* () {
      const segment = [`${runId}.w1.ndjson.zst`]
      const work = Effect.gen(function* () {
        expect(yield* unended(undefined)).toEqual([])
        expect(yield* unended("ClaimLost")).toEqual([])
        expect(yield* unended("Catalog")).toEqual(segment)
        expect(yield* unended("Database", undefined)).toEqual([])
      })
      yield* inWarehouse(yield* temporaryFolder, Effect.scoped(work), { tables: [] })
    }),
  )
})

const nothingChanged = { inserted: 0, revised: 0, unchanged: 0 }
