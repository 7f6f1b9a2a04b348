// The record of a run, from its start to its end.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { commit, inWarehouse, reading, readings, readingsBatch, rows } from "../sample.ts"

const start = { command: "vaulthouse sync", baseUrl: "http://localhost", version: "1.0.0" }
const columns = `command, outcome, tasks::int as tasks, requests::int as requests,
  rows_inserted::int as inserted, rows_revised::int as revised, requests_at_once as at_once,
  requests_per_second as per_second, finished_at >= started_at as is_after`

const stored = (run: string) =>
  Effect.map(rows(`select ${columns} from ops.runs where run_id = '${run}'`), ([row]) => row)

it.effect("is completed with what its tasks did, and with the limits that it met", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const options = { tables: [readings] }
    const first = Effect.gen(function* () {
      const { startRun, finishRun } = yield* Warehouse
      yield* startRun(start)
      expect(yield* stored("run-1")).toMatchObject({ outcome: null, tasks: null, is_after: null })
      yield* commit(readingsBatch([reading("a", 0, 1), reading("a", 1, 1)]))
      yield* commit(readingsBatch([reading("a", 1, 2), reading("a", 2, 1)]))
      const limits = { atOnce: 8, perSecond: 2.5 }
      const summary = yield* finishRun("partial", undefined, limits)
      const totals = { tasks: 2, requests: 2, rowsInserted: 3, rowsRevised: 1 }
      expect(summary).toMatchObject(totals)
      expect(summary.seconds).toBeGreaterThanOrEqual(0)
    })
    yield* inWarehouse(dataDir, first, options)
    const second = Effect.gen(function* () {
      const { startRun, finishRun } = yield* Warehouse
      yield* startRun(start)
      yield* finishRun("complete", undefined, { atOnce: 8, perSecond: Infinity })
      return [yield* stored("run-1"), yield* stored("run-2")]
    })
    const common = { command: "vaulthouse sync", at_once: 8, is_after: true }
    expect(yield* inWarehouse(dataDir, second, { ...options, runId: "run-2" })).toEqual([
      {
        ...common,
        outcome: "partial",
        tasks: 2,
        requests: 2,
        inserted: 3,
        revised: 1,
        per_second: 2.5,
      },
      {
        ...common,
        outcome: "complete",
        tasks: 0,
        requests: 0,
        inserted: 0,
        revised: 0,
        per_second: null,
      },
    ])
  }),
)
