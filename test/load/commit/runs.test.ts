// The record of a run, from its start to its end.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { checkResults } from "../../../src/load/tables/ops/check_results.ts"
import { commit, inWarehouse, reading, readings, readingsBatch, rows, rowsOf } from "../sample.ts"

const start = { command: "vaulthouse sync", baseUrl: "http://localhost", version: "1.0.0" }
const columns = `command, outcome, tasks::int as tasks, requests::int as requests,
  rows_inserted::int as inserted, rows_revised::int as revised, requests_at_once as at_once,
  requests_per_second as per_second, finished_at >= started_at as is_after`
const seconds = "(epoch_us(finished_at) - epoch_us(started_at)) / 1e6 as seconds"

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
      const [row] = yield* rows(`select ${seconds} from ops.runs`)
      expect(summary.seconds).toBe(row?.["seconds"])
      expect(summary.seconds).toBeGreaterThan(0)
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

/** The result of a check, which the end of a run records with it. */
const results = (failures: number) =>
  rowsOf(checkResults, [
    {
      run_id: "run-1",
      check_name: "a",
      severity: "error",
      outcome: failures > 0 ? "failed" : "passed",
      failures,
      checked_at: 0,
    },
  ])

it.effect("is completed together with what is known at its end, by whichever process", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const options = { tables: [readings] }
    const left = rows(`select r.outcome, failures::int as failures
      from ops.runs r full join ops.check_results using (run_id)`)
    const first = Effect.gen(function* () {
      const { startRun, finishRun, execute } = yield* Warehouse
      yield* startRun(start)
      yield* finishRun("stopped", results(2))
      const found = yield* left
      // As after an export.
      yield* execute(["delete from ops.partition_changes"])
      return found
    })
    expect(yield* inWarehouse(dataDir, first, options)).toEqual([
      { outcome: "stopped", failures: 2 },
    ])
    const second = Effect.gen(function* () {
      const { finishRun } = yield* Warehouse
      yield* finishRun("complete", results(0))
      const marks = yield* rows(
        "select table_name, month from ops.partition_changes where table_name = 'runs'",
      )
      return [yield* left, marks]
    })
    // The result of the same check takes the place of the first, and the changed record is exported again.
    expect(yield* inWarehouse(dataDir, second, options)).toEqual([
      [{ outcome: "complete", failures: 0 }],
      [{ table_name: "runs", month: "-" }],
    ])
  }),
)

it.effect("is not made by the end of a run that was never begun, which took no time", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const work = Effect.gen(function* () {
      const { finishRun } = yield* Warehouse
      expect((yield* finishRun("failed")).seconds).toBe(0)
      return yield* rows("from ops.runs")
    })
    expect(yield* inWarehouse(dataDir, work, { tables: [readings] })).toEqual([])
  }),
)
