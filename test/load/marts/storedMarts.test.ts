// Marts that published copies hold as tables say what the views of the warehouse say, whatever was revised, and only
// the months that changed are made again.
import { copyFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Rows } from "../../../src/domain/table/table.ts"
import { tableName } from "../../../src/domain/table/table.ts"
import { findOffenders } from "../../../src/load/checks/runChecks.ts"
import { sqlChecks } from "../../../src/load/checks/sqlChecks.ts"
import { createMarts } from "../../../src/load/marts/createMarts.ts"
import { marts } from "../../../src/load/marts/marts.ts"
import { publish } from "../../../src/load/published/publish.ts"
import { publishedFile } from "../../../src/load/published/read/PublishedCopy.ts"
import { refreshStoredMarts } from "../../../src/load/published/marts/refreshStoredMarts.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import { storedMarts } from "../../../src/load/marts/storedMarts.ts"
import { verify } from "../../../src/load/published/verify/verify.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { batchOf, commit, inWarehouse, type RowValues, rowsOf } from "../sample.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { change, queries, queriesOfFile, queryFile } from "../../support/warehouseRun.ts"

let run = 0
const asRun = <A, E>(dataDir: string, work: Effect.Effect<A, E, Warehouse>) =>
  inWarehouse(dataDir, work, { runId: `run-${(run += 1)}`, tables: coreTables })

const createViews = Effect.flatMap(Warehouse, ({ exclusively, tables }) =>
  exclusively("test", (session) => createMarts(session, tables)),
)
const publishing = Effect.andThen(createViews, publish({ parquet: undefined }))

const rowsIn = (name: string, rows: ReadonlyArray<RowValues>): Rows => {
  const table = coreTables.find((each) => tableName(each) === `core.${name}`)
  if (table === undefined) throw new Error(`There is no table core.${name}`)
  return rowsOf(table, rows)
}

const HOUR = 3_600_000_000
const START = Date.UTC(2025, 10, 28) * 1000

// The same figures each time, but of no pattern.
let seed = 1
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const figure = (): number | null => (random(9) === 0 ? null : random(2000) / 1000)

const vault = (at: number): string => `0x${String(at).repeat(40)}`

/** Points of three vaults, the same hour more than once, over 100 days from the end of November on. */
const somePoints = (count: number): ReadonlyArray<Rows> => {
  const points = Array.from({ length: count }, () => ({
    vault_address: vault(random(3)),
    chain_id: [1, 10, null][random(3)] ?? null,
    at: START + random(2400) * HOUR + random(2) * (HOUR / 2),
  }))
  const chained = points.map((point) => ({ ...point, chain_id: point.chain_id ?? 1 }))
  return [
    rowsIn(
      "ratio_history",
      points.map(({ at, ...point }) => ({
        ...point,
        observed_at: at,
        actual_tvl: figure(),
        tvl_on_vault: figure(),
        adjusted_redeem_ratio: figure(),
      })),
    ),
    rowsIn(
      "pnl_history",
      points.map(({ at, ...point }) => ({
        ...point,
        snapshot_at: at,
        unrealized_pnl: figure(),
        unrealized_pnl_in_asset: figure(),
      })),
    ),
    rowsIn(
      "position_snapshots",
      chained.map(({ at, ...point }) => ({
        ...point,
        snapshot_at: at,
        total_nav: figure(),
        reported_tvl: figure(),
        subaccounts_total_usd: figure(),
        buffer_usd: figure(),
      })),
    ),
  ]
}

const vaultRows = (chains: ReadonlyArray<number>, name: string, others: RowValues = {}): Rows =>
  rowsIn(
    "vaults",
    chains.flatMap((chain_id, at) => [
      {
        chain_id,
        vault_address: vault(at),
        vault_address_wire: vault(at),
        chain_type: "evm",
        vault_name: `${name} ${at}`,
        ...others,
      },
    ]),
  )

const asSorted = (name: string) => `SELECT * FROM mart.${name} AS mart ORDER BY mart::VARCHAR`

const expectSame = (dataDir: string) =>
  Effect.gen(function* () {
    const sorted = storedMarts.map(({ name }) => asSorted(name))
    const stored = yield* queriesOfFile(publishedFile(dataDir), sorted)
    const viewed = yield* queries(dataDir, sorted)
    for (const [at, { name }] of storedMarts.entries()) {
      expect(stored[at], name).toEqual(viewed[at])
      expect(stored[at]?.length, name).toBeGreaterThan(0)
    }
  })

const withoutComment = [
  `SELECT schema_name || '.' || table_name || '.' || column_name AS name FROM duckdb_columns()
   WHERE NOT internal AND coalesce(trim(comment), '') = ''`,
  `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables()
   WHERE NOT internal AND coalesce(trim(comment), '') = ''`,
  `SELECT schema_name || '.' || view_name AS name FROM duckdb_views()
   WHERE NOT internal AND coalesce(trim(comment), '') = ''`,
  "SELECT count(*)::INTEGER AS n FROM duckdb_columns() WHERE schema_name = 'mart_tables'",
]

it.live(
  "say the same as the views after revisions, new points and changes of the vaults; all have comments",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const load = (...rows: ReadonlyArray<Rows>) => commit(batchOf(rows))
      yield* asRun(dataDir, Effect.andThen(load(...somePoints(600)), publishing))
      yield* expectSame(dataDir)
      for (const chains of [
        [10, 1, 10],
        [10, 10, 1],
      ]) {
        yield* asRun(
          dataDir,
          // Twice in one run: what changes after a publication is in the next.
          Effect.gen(function* () {
            yield* load(...somePoints(40))
            yield* publishing
            yield* load(...somePoints(5), vaultRows(chains, `of ${chains.join()}`))
            yield* publishing
          }),
        )
        yield* expectSame(dataDir)
      }
      expect(yield* verify(dataDir)).toEqual([])
      const copied =
        "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE schema_name = 'mart' ORDER BY ALL"
      expect(yield* queryFile(publishedFile(dataDir), copied)).toEqual(
        yield* queryFile(join(dataDir, "vaulthouse.duckdb"), copied),
      )
      for (const found of [
        yield* queriesOfFile(publishedFile(dataDir), withoutComment),
        yield* queries(dataDir, withoutComment),
      ]) {
        expect(found.slice(0, 3)).toEqual([[], [], []])
        expect(found[3]?.[0]?.["n"]).toBeGreaterThan(50)
      }
    }).pipe(Effect.scoped),
)

it.live("are made again for the months that changed, and whole where any row may have", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const point = (month: number, ratio: number) =>
      rowsIn("ratio_history", [
        {
          vault_address: vault(0),
          observed_at: Date.UTC(2026, month - 1, 15) * 1000,
          adjusted_redeem_ratio: ratio,
          actual_tvl: 1,
        },
      ])
    const marked = ["ratio_days", "vault_hourly"].map(
      (name) => `UPDATE ${CATALOG}.mart_tables.${name} SET backing = -1`,
    )
    const publishWith = (rows: ReadonlyArray<Rows>) =>
      asRun(
        dataDir,
        Effect.gen(function* () {
          if (rows.length > 0) yield* commit(batchOf(rows))
          yield* publishing
          const { execute } = yield* Warehouse
          yield* execute(marked)
        }),
      )
    // A marked row was left alone.
    const kept = (name: string, time: string) =>
      Effect.map(
        queryFile(
          publishedFile(dataDir),
          `SELECT list(month(${time})::INTEGER ORDER BY ${time}) AS months FROM mart.${name} WHERE backing = -1`,
        ),
        ([row]) => row?.["months"] ?? [],
      )
    const both = Effect.all([kept("ratio_days", "day"), kept("vault_hourly", "hour_at")])
    yield* publishWith([point(1, 1), point(2, 1), point(3, 1)])
    expect(yield* both).toEqual([[], []])
    yield* publishWith([point(2, 0.9)])
    expect(yield* both).toEqual([
      [1, 3],
      [1, 3],
    ])
    yield* publishWith([])
    expect(yield* both).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    yield* publishWith([vaultRows([1], "Alpha")])
    expect(yield* both).toEqual([[1, 2, 3], []])
    // What no row of theirs has: a figure in `extra` may change with each run.
    yield* publishWith([vaultRows([1], "Alpha", { extra: '{"rank":2}' })])
    expect(yield* both).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    // A mart that is defined otherwise than it was.
    yield* asRun(
      dataDir,
      Effect.flatMap(Warehouse, ({ execute }) =>
        execute([`UPDATE ${CATALOG}.ops.stored_marts SET definition = 'another'`]),
      ),
    )
    yield* publishWith([])
    expect(yield* both).toEqual([[], []])
  }).pipe(Effect.scoped),
)

it.live(
  "are made again from all rows by a publication that rebuilds all, whatever is recorded",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* asRun(dataDir, Effect.andThen(commit(batchOf(somePoints(100))), publishing))
      const byHand = [
        "UPDATE core.ratio_history SET adjusted_redeem_ratio = 7",
        // To months that have had no rows.
        "UPDATE core.pnl_history SET snapshot_at = snapshot_at - INTERVAL 1 YEAR",
      ]
      yield* change(dataDir, ...byHand)
      const again = publish({ parquet: undefined, rebuildAll: true })
      yield* asRun(dataDir, Effect.andThen(createViews, again))
      yield* expectSame(dataDir)
    }).pipe(Effect.scoped),
)

it.live("are made whole where they are recorded and not there, as after a move out of a lake", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(somePoints(100))), publishing))
    yield* change(dataDir, "DROP SCHEMA mart_tables CASCADE")
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(somePoints(5))), publishing))
    yield* expectSame(dataDir)
    expect(yield* verify(dataDir)).toEqual([])
  }).pipe(Effect.scoped),
)

const publishedDays = Effect.gen(function* () {
  yield* createViews
  const checks = sqlChecks.filter(({ name }) => name === "published_days")
  const [result] = yield* findOffenders(checks, { since: undefined })
  return result
})

const ratioPoint = (observed_at: number, backing: number, supply: number, ratio: number): Rows =>
  rowsIn("ratio_history", [
    {
      vault_address: vault(0),
      observed_at,
      actual_tvl: backing,
      tvl_on_vault: supply,
      adjusted_redeem_ratio: ratio,
    },
  ])

it.live("show that hours of the ratio are gone, in a warehouse without PnL too", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const points = [
      ratioPoint(START, 100, 100, 1),
      ratioPoint(START + HOUR, 102, 100, 1.02),
      // Redeemed until only a remainder of the backing is left: no ratio.
      ratioPoint(START + 2 * HOUR, 1.2, 0, 0),
    ]
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(points)), publishing))
    expect(yield* asRun(dataDir, publishedDays)).toMatchObject({ outcome: "passed" })
    yield* change(dataDir, "DELETE FROM core.ratio_history WHERE adjusted_redeem_ratio > 1")
    expect(yield* asRun(dataDir, publishedDays)).toMatchObject({ outcome: "failed", failures: 1 })
  }).pipe(Effect.scoped),
)

it.live("are compared with the views only where both are of one definition", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const points = [ratioPoint(START, 100, 100, 1), ratioPoint(START + HOUR, 1.2, 0, 0)]
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(points)), publishing))
    // As an earlier version made them, by which a redeemed vault had a ratio.
    yield* change(
      dataDir,
      "UPDATE ops.view_fingerprints SET fingerprint = 'earlier' WHERE name IN ('*', 'mart.ratio_points')",
      "UPDATE mart_tables.ratio_days SET collateral_ratio_low = 0",
    )
    expect(yield* asRun(dataDir, publishedDays)).toMatchObject({ outcome: "passed" })
    yield* asRun(dataDir, publishing)
    expect(yield* asRun(dataDir, publishedDays)).toMatchObject({ outcome: "passed" })
    yield* change(dataDir, "DELETE FROM core.ratio_history WHERE tvl_on_vault > 0")
    expect(yield* asRun(dataDir, publishedDays)).toMatchObject({ outcome: "failed", failures: 1 })
  }).pipe(Effect.scoped),
)

it.live("are made once a month of their rows", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(somePoints(400))), createViews))
    const refreshing = Effect.flatMap(Warehouse, ({ exclusively }) =>
      exclusively("test", async (session) => {
        const spy = vi.spyOn(session.connection, "run")
        await refreshStoredMarts(session, true)
        return spy.mock.calls
          .map(([sql]) => sql)
          .filter((sql) => sql.includes("DELETE FROM vaulthouse.mart_tables"))
      }),
    )
    const statements = yield* asRun(dataDir, refreshing)
    expect(new Set(statements).size).toBe(statements.length)
    // Of each mart, the end of November, three whole months and the beginning of March.
    expect(statements.length).toBe(5 * storedMarts.length)
  }).pipe(Effect.scoped),
)

it.live("are views again where a published copy becomes the warehouse", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* asRun(dataDir, Effect.andThen(commit(batchOf(somePoints(50))), publishing))
    const restored = join(dataDir, "restored")
    mkdirSync(restored)
    copyFileSync(publishedFile(dataDir), join(restored, "vaulthouse.duckdb"))
    yield* asRun(restored, Effect.andThen(createViews, commit(batchOf(somePoints(50)))))
    const sql = "SELECT sql FROM duckdb_views() WHERE contains(sql, 'mart_tables.')"
    expect(yield* queryFile(join(restored, "vaulthouse.duckdb"), sql)).toEqual([])
    yield* asRun(restored, publishing)
    yield* expectSame(restored)
  }).pipe(Effect.scoped),
)

it("name every table and mart they are made from", () => {
  const sqlOf = new Map(marts.map(({ name, sql }) => [`mart.${name}`, sql]))
  const sources = (name: string, whole: ReadonlyArray<string>): ReadonlyArray<string> => {
    const read = (sqlOf.get(name) ?? "").matchAll(/\b(?:core|mart|ops|raw)\.\w+/g)
    return [...read].flatMap(([source]) => [
      source,
      ...(whole.includes(source) ? [] : sources(source, whole)),
    ])
  }
  for (const { name, byMonth, whole, through } of storedMarts) {
    const [wholes = [], throughs = []] = [whole, through].map((names) =>
      names.map((mart) => `mart.${mart}`),
    )
    const named = [...Object.keys(byMonth), ...wholes, ...throughs]
    expect(new Set(sources(`mart.${name}`, wholes)), name).toEqual(new Set(named))
    // It reads no table, and changes all the same.
    expect([...whole, ...through]).not.toContain("clock")
  }
})
