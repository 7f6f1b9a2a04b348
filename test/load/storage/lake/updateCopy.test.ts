// A copy brought up to date with the warehouse holds the same rows as one made from it anew, and only months that
// changed are copied.
import { cpSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Batch } from "../../../../src/domain/run/outcome.ts"
import { storedTables } from "../../../../src/domain/table/table.ts"
import { CATALOG } from "../../../../src/load/sql/sql.ts"
import { operationTables } from "../../../../src/load/tables/index.ts"
import { updateCopy } from "../../../../src/load/storage/lake/updateCopy.ts"
import { Warehouse } from "../../../../src/load/Warehouse.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { change, query } from "../../../support/warehouseRun.ts"
import {
  batchOf,
  commitTogether,
  descriptions,
  hour,
  inWarehouse,
  latest,
  once,
  reading,
  readings,
  rowsOf,
  sampleTables,
} from "../../sample.ts"

const tables = [...sampleTables, ...operationTables].flatMap(storedTables)

let run = 0
const load = (dataDir: string, ...batches: ReadonlyArray<Batch>) =>
  inWarehouse(dataDir, commitTogether(batches), { runId: `run-${(run += 1)}` })

const update = (source: string, copy: string, isWhole = false) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    try {
      await connection.run(`ATTACH '${join(copy, "vaulthouse.duckdb")}' AS ${CATALOG}`)
      await connection.run(`ATTACH '${join(source, "vaulthouse.duckdb")}' AS source (READ_ONLY)`)
      await updateCopy({ connection, tables, source: "source", isWhole })
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })

const names = ["readings", "readings_versions", "descriptions", "latest", "once"]
const all = [...names.map((name) => `core.${name}`), "ops.tasks", "ops.partition_changes"]

const expectSame = (source: string, copy: string) =>
  Effect.gen(function* () {
    for (const name of all) {
      const rows = `SELECT * FROM ${name} AS found ORDER BY found::VARCHAR`
      const copied = yield* query(copy, rows)
      expect(copied, name).toEqual(yield* query(source, rows))
      expect(copied.length, name).toBeGreaterThan(0)
    }
  })

// In hours, so that each multiple is in a month of its own.
const MONTH = 31 * 24

const vaults = ["a", "b"]

const someOf = (months: ReadonlyArray<number>, value: number) =>
  batchOf(
    [
      rowsOf(
        readings,
        months.flatMap((month) => vaults.map((vault) => reading(vault, month * MONTH, value))),
      ),
      rowsOf(
        descriptions,
        vaults.map((vault_address) => ({ vault_address, title: `${value}`, fee: value })),
      ),
    ],
    {
      bookkeeping: [
        rowsOf(
          once,
          months.map((month) => ({
            vault_address: `v${value}`,
            day: Math.floor(hour(month * MONTH) / 86_400_000_000),
            value,
          })),
        ),
        rowsOf(
          latest,
          vaults.map((vault_address) => ({ vault_address, value })),
        ),
      ],
    },
  )

it.live(
  "has what was revised, added and removed since, in whichever order copies are updated",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [source, copy, other] = ["source", "copy", "other"].map((name) =>
        join(folder, name),
      ) as [string, string, string]
      yield* load(copy)
      yield* load(source, someOf([1, 2, 3, 6], 0))
      yield* load(source, someOf([1, 2], 1))
      yield* update(source, copy, true)
      yield* expectSame(source, copy)
      cpSync(copy, other, { recursive: true })
      for (const [months, value] of [
        [[2, 3], 2],
        [[3, 7], 3],
        [[1, 6, 7, 14], 4],
      ] as const) {
        yield* load(source, someOf(months, value))
        yield* update(source, copy)
        yield* expectSame(source, copy)
      }
      // A copy that another machine made earlier.
      yield* update(source, other)
      yield* expectSame(source, other)
      yield* inWarehouse(
        source,
        Effect.flatMap(Warehouse, ({ execute }) =>
          execute(["DELETE FROM core.readings WHERE month(observed_at) = 4"], [readings]),
        ),
      )
      yield* update(source, copy)
      yield* expectSame(source, copy)
    }).pipe(Effect.scoped),
)

it.live("copies only the months that changed, and tables that have another number of rows", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const [source, copy] = [join(folder, "source"), join(folder, "copy")]
    yield* load(copy)
    yield* load(source, someOf([1, 2, 3], 1))
    yield* update(source, copy, true)
    // What is copied again has the mark no longer.
    yield* change(copy, "UPDATE core.readings SET note = 'left alone'")
    const marked = Effect.map(
      query(
        copy,
        "SELECT DISTINCT strftime(observed_at, '%m') AS m FROM core.readings WHERE note IS NOT NULL ORDER BY m",
      ),
      (found) => found.map(({ m }) => m),
    )
    yield* load(source, someOf([2], 2))
    yield* update(source, copy)
    expect(yield* marked).toEqual(["03", "05"])
    // By hand, so that nothing is recorded.
    yield* change(source, "DELETE FROM core.readings WHERE month(observed_at) = 5")
    yield* update(source, copy)
    expect(yield* marked).toEqual([])
    yield* expectSame(source, copy)
  }).pipe(Effect.scoped),
)
