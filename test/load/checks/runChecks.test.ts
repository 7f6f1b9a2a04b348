// A check that compares keys runs over the months a run touched, a few at a time: a doubled key is found in its month. Results
// follow each other, whatever the clock says.
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Check } from "../../../src/load/checks/Check.ts"
import { findOffenders, recordResults } from "../../../src/load/checks/runChecks.ts"
import { tableChecks } from "../../../src/load/checks/tableChecks.ts"
import { sqlFile } from "../../../src/load/sql/sqlFile.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { ahead } from "../../support/movableClock.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { commit, inWarehouse, reading, readings, readingsBatch, rows } from "../sample.ts"

const check = tableChecks([readings]).filter(({ name }) => name.endsWith("readings.unique_key"))
const days = (from: number) => Array.from({ length: 24 }, (_, at) => reading("a", from + at, 1))

const twice = Effect.flatMap(Warehouse, ({ execute }) =>
  execute(["INSERT INTO core.readings SELECT * FROM core.readings LIMIT 3"]),
)

it.live("finds a key twice in the months of this run, and leaves other months alone", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* inWarehouse(dataDir, Effect.andThen(commit(readingsBatch(days(0))), twice))
    const ofThisRun = Effect.gen(function* () {
      const { openedAt } = yield* Warehouse
      yield* commit(readingsBatch(days(24 * 60)))
      const elsewhere = yield* findOffenders(check, { since: openedAt })
      yield* commit(readingsBatch([reading("b", 1, 1)]))
      const found = yield* findOffenders(check, { since: openedAt })
      yield* recordResults("run", found)
      return [elsewhere, found, yield* findOffenders(check, { since: undefined })]
    })
    const all = yield* inWarehouse(dataDir, ofThisRun)
    expect(all.map(([result]) => result?.failures)).toEqual([0, 3, 3])
    expect(all.map(([result]) => result?.outcome)).toEqual(["passed", "failed", "failed"])
  }),
)

// DuckDB 1.5.5 fails, and then refuses everything, where several threads run a window of all rows (`OVER ()`) over a UNION ALL
// (duckdb/duckdb#25713): here within a hundred times.
it.live("counts the offenders of a union while DuckDB has several threads", () =>
  Effect.gen(function* () {
    const union = {
      name: "union",
      description: "",
      severity: "error",
      tolerance: null,
      isIncremental: false,
      needs: [],
      sql: () =>
        `select value from core.readings where value > 1
         union all select value from core.readings where not exists (from core.readings where value > 1)`,
    } satisfies Check
    const found = yield* inWarehouse(
      yield* temporaryFolder,
      Effect.gen(function* () {
        yield* commit(readingsBatch(days(0)))
        yield* Effect.flatMap(Warehouse, ({ rows: read }) => read("SET threads = 4"))
        return yield* Effect.forEach(Array.from({ length: 300 }), () =>
          findOffenders([union], { since: undefined }),
        )
      }),
    )
    expect(new Set(found.map(([result]) => result?.failures))).toEqual(new Set([24]))
  }),
)

it.live("what failed is a problem after the clock was set back, until it passes", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const checked = (runId: string, change: Effect.Effect<unknown, unknown, Warehouse>) =>
      inWarehouse(
        dataDir,
        Effect.gen(function* () {
          yield* change
          yield* recordResults(runId, yield* findOffenders(check, { since: undefined }))
          return (yield* rows(sqlFile("health", "failed_checks"))).map(({ failures }) => failures)
        }),
      )
    expect(yield* checked("first", commit(readingsBatch(days(0))))).toEqual([])
    expect(yield* ahead(-3_600_000, checked("second", twice))).toEqual([3])
    const undone = Effect.flatMap(Warehouse, ({ execute }) =>
      execute(["DELETE FROM core.readings"]),
    )
    expect(yield* ahead(-7_000_000, checked("third", undone))).toEqual([])
  }),
)
