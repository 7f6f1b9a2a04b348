// What every mart keeps whatever the rows: a unique key, the same answers in any time zone, and in a renamed
// read-only copy of the file.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { marts } from "../../src/load/marts/marts.ts"
import { STORAGE_VERSION } from "../../src/load/storage/template.ts"
import { CATALOG, identifier, literal } from "../../src/load/sql/sql.ts"
import { pipelineNames } from "../../src/pipelines/pipelines.ts"
import {
  addRows,
  stopClock,
  martRows,
  openWarehouse,
  putGiven,
  readRows,
  type TestWarehouse,
} from "./support.ts"

let warehouse: TestWarehouse
const fill = async () => {
  await putGiven(warehouse.connection, {})
  await warehouse.connection.run(`USE ${CATALOG}`)
  await warehouse.connection.run(readFileSync(join(import.meta.dirname, "generated.sql"), "utf8"))
  await warehouse.connection.run("USE memory")
}
beforeAll(async () => {
  warehouse = await openWarehouse()
  await fill()
})
afterAll(() => warehouse.close())

const everyMart = async () => Promise.all(marts.map((mart) => martRows(warehouse.connection, mart)))

describe("every mart, on generated rows", () => {
  it.each(marts)("mart.$name has rows, and one for each key", async ({ name, key }) => {
    const [counted] = await readRows(
      warehouse.connection,
      `SELECT count(*)::INTEGER AS n, count(DISTINCT (${key.map(identifier).join(", ")}))::INTEGER AS keys,
         count(*) FILTER (${key.map((column) => `${identifier(column)} IS NULL`).join(" OR ")})::INTEGER AS nulls
       FROM ${CATALOG}.mart.${identifier(name)}`,
    )
    expect(counted?.n).toBeGreaterThan(0)
    expect(counted).toEqual({ n: counted?.n, keys: counted?.n, nulls: 0 })
  })

  const sources = marts.flatMap((mart) => (mart.from ?? []).map((source) => ({ mart, source })))
  // A mart takes longer to work out than to search.
  beforeAll(async () => {
    for (const name of new Set(sources.map(({ mart }) => mart.name))) {
      await warehouse.connection.run(
        `CREATE TEMP TABLE ${identifier(name)} AS FROM ${CATALOG}.mart.${identifier(name)}`,
      )
    }
  })

  it.each(sources)(
    "mart.$mart.name: some row is traced to $source.table",
    async ({ mart, source }) => {
      const { table, columns, where, first_by: order } = source
      const declared = mart.columns.map(({ name }) => name)
      expect(declared).toEqual(expect.arrayContaining(Object.keys(columns)))
      const fields = Object.values(columns)
        .flat()
        .map((field) => `fact.${identifier(field)}`)
      await warehouse.connection.run(`USE ${CATALOG}`)
      const rows = await readRows(
        warehouse.connection,
        `WITH mart AS (SELECT * FROM temp.${identifier(mart.name)})
       SELECT ${[...new Set(fields)].join(", ")} FROM mart, ${table} AS fact WHERE ${where}
       ${order === undefined ? "" : `ORDER BY ${order}`} LIMIT 1`,
      )
      await warehouse.connection.run("USE memory")
      expect(rows).toHaveLength(1)
    },
  )

  it("completeness knows every state, and each present hour or day is one that has facts", async () => {
    const states = await readRows(
      warehouse.connection,
      `SELECT DISTINCT state FROM ${CATALOG}.mart.completeness ORDER BY state`,
    )
    expect(states.map(({ state }) => state)).toEqual([
      "empty",
      "missing",
      "present",
      "quarantined",
      "unreachable",
    ])
    const present = await readRows(
      warehouse.connection,
      `SELECT series, count(*)::INTEGER AS n FROM ${CATALOG}.mart.completeness
       WHERE state = 'present' GROUP BY series ORDER BY series`,
    )
    const facts = await readRows(
      warehouse.connection,
      `SELECT series, n::INTEGER AS n FROM (
         SELECT 'allocation' AS series, count(DISTINCT (vault_address, chain_id, date)) AS n
         FROM ${CATALOG}.core.allocation_history
         UNION ALL SELECT
           concat('apy_', if(is_smoothed, 'smoothed_', 'unsmoothed_'), averaging_period_days, 'd'),
           count(DISTINCT (vault_address, date)) FROM ${CATALOG}.core.apy_history
         GROUP BY is_smoothed, averaging_period_days
         UNION ALL SELECT 'pnl', count(DISTINCT (vault_address, date_trunc('hour', snapshot_at)))
         FROM ${CATALOG}.core.pnl_history
         UNION ALL SELECT 'ratio', count(DISTINCT (vault_address, date_trunc('hour', observed_at)))
         FROM ${CATALOG}.core.ratio_history
       ) ORDER BY series`,
    )
    expect(present).toEqual(facts)
  })

  it("vault_daily and completeness count the same hours", async () => {
    const daily = await readRows(
      warehouse.connection,
      `SELECT vault_address, sum(hours_present)::INTEGER AS hours FROM ${CATALOG}.mart.vault_daily
       GROUP BY vault_address ORDER BY vault_address`,
    )
    const hourly = await readRows(
      warehouse.connection,
      `SELECT vault_address, count(*)::INTEGER AS hours FROM ${CATALOG}.mart.completeness
       WHERE series = 'ratio' AND state = 'present' GROUP BY vault_address ORDER BY vault_address`,
    )
    expect(daily).toEqual(hourly)
  })
})

describe("time zones", () => {
  it("the answers are the same west and east of UTC", async () => {
    const { connection } = warehouse
    // now() stands still within a transaction, so that ages can be compared.
    await connection.run("BEGIN; SET TimeZone = 'UTC'")
    const utc = await everyMart()
    for (const zone of ["America/New_York", "Asia/Kathmandu"]) {
      await connection.run(`SET TimeZone = ${literal(zone)}`)
      expect(await everyMart(), zone).toEqual(utc)
    }
    await connection.run("SET TimeZone = 'UTC'; COMMIT")
  })

  it("a fact of this moment is new, not hours old or yet to come", async () => {
    const { connection } = warehouse
    await connection.run("SET TimeZone = 'Asia/Kathmandu'")
    await addRows(connection, {
      "core.ratio_history": [
        { vault_address: "empty", observed_at: new Date().toISOString().slice(0, 19) },
      ],
    })
    const [row] = await readRows(
      connection,
      `SELECT latest.ratio_age_hours, fresh.age_hours, fresh.is_stale
       FROM ${CATALOG}.mart.vault_latest AS latest
       JOIN ${CATALOG}.mart.freshness AS fresh USING (chain_id, vault_address)
       WHERE vault_address = 'empty' AND fresh.series = 'ratio'`,
    )
    await connection.run("SET TimeZone = 'UTC'")
    await fill()
    expect(Math.abs(Number(row?.ratio_age_hours))).toBeLessThan(0.5)
    expect(Math.abs(Number(row?.age_hours))).toBeLessThan(0.5)
    expect(row?.is_stale).toBe(false)
  })
})

describe("a copy of the file, renamed and read-only", () => {
  let before: ReadonlyArray<ReadonlyArray<unknown>>
  let opened: DuckDBInstance
  let attached: DuckDBInstance
  let reader: DuckDBConnection
  let other: DuckDBConnection
  beforeAll(async () => {
    const { connection, directory } = warehouse
    await stopClock(connection, "2026-03-30 12:00:00")
    before = await everyMart()
    const file = join(directory, "some other name.duckdb")
    await connection.run(
      `ATTACH ${literal(file)} AS copied (STORAGE_VERSION ${literal(STORAGE_VERSION)})`,
    )
    await connection.run(`COPY FROM DATABASE ${CATALOG} TO copied`)
    await connection.run("DETACH copied")
    opened = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
    reader = await opened.connect()
    attached = await DuckDBInstance.create(":memory:")
    other = await attached.connect()
    await other.run(`ATTACH ${literal(file)} AS elsewhere (READ_ONLY)`)
  })
  afterAll(() => {
    reader.closeSync()
    opened.closeSync()
    other.closeSync()
    attached.closeSync()
  })

  it.each(marts)("mart.$name answers the same, opened or attached", async (mart) => {
    const rows = before[marts.indexOf(mart)]
    const ordered = `mart.${identifier(mart.name)} ORDER BY ${mart.key.map(identifier).join(", ")}`
    expect(await readRows(reader, `SELECT * FROM ${ordered}`)).toEqual(rows)
    expect(await readRows(other, `SELECT * FROM elsewhere.${ordered}`)).toEqual(rows)
  })
})

describe("series", () => {
  const facts = {
    allocation: { "core.allocation_history": { date: "2026-03-01", chain_id: 1 } },
    apy_smoothed_7d: {
      "core.apy_history": { date: "2026-03-01", is_smoothed: true, averaging_period_days: 7 },
    },
    apy_unsmoothed_7d: {
      "core.apy_history": { date: "2026-03-01", is_smoothed: false, averaging_period_days: 7 },
    },
    pnl: { "core.pnl_history": { snapshot_at: "2026-03-01 00:00:00" } },
    ratio: { "core.ratio_history": { observed_at: "2026-03-01 00:00:00" } },
  }
  afterAll(fill)

  it("each declared one names its table and a pipeline", async () => {
    await putGiven(warehouse.connection, {})
    const declared = await readRows(
      warehouse.connection,
      `SELECT series, source_table, pipeline FROM ${CATALOG}.mart.series ORDER BY series`,
    )
    expect(declared.map(({ series, source_table }) => [series, source_table])).toEqual(
      Object.entries(facts).map(([series, fact]) => [series, ...Object.keys(fact)]),
    )
    expect(pipelineNames).toEqual(expect.arrayContaining(declared.map(({ pipeline }) => pipeline)))
  })

  it.each(Object.entries(facts))(
    "freshness and completeness see a fact of %s",
    async (series, fact) => {
      const { connection } = warehouse
      const rows = Object.entries(fact).map(([table, row]) => [
        table,
        [{ vault_address: "a", ...row }],
      ])
      await putGiven(connection, {
        "core.vaults": [{ chain_id: 1, vault_address: "a", chain_type: "evm", is_current: true }],
        ...Object.fromEntries(rows),
      })
      const fresh = await readRows(
        connection,
        `SELECT series FROM ${CATALOG}.mart.freshness WHERE newest_at IS NOT NULL`,
      )
      const complete = await readRows(
        connection,
        `SELECT series, state FROM ${CATALOG}.mart.completeness`,
      )
      expect(fresh).toEqual([{ series }])
      expect(complete).toEqual([{ series, state: "present" }])
    },
  )
})

describe("what a ratio is traced to, of a vault that was redeemed to a remainder of its backing", () => {
  const traced = [
    ["vault_daily", "collateral_ratio_open"],
    ["vault_daily", "collateral_ratio_low"],
    ["vault_daily", "collateral_ratio_high"],
    ["vault_daily", "collateral_ratio_close"],
    ["vault_hourly", "collateral_ratio_low"],
    ["vault_hourly", "is_below_par"],
    ["vault_returns", "collateral_ratio_close"],
    ["vault_performance", "hours_below_par"],
  ] as const

  beforeAll(async () => {
    const vault = { vault_address: "a" }
    await putGiven(warehouse.connection, {
      "core.vaults": [{ ...vault, chain_id: 1, chain_type: "evm", is_current: true }],
      "core.ratio_history": [
        [10, 100, 100, 0.9],
        [20, 1.2, 0, 0],
        [30, 0, 0, 0],
        // A figure that the service did not send says nothing about the ratio.
        [40, 100, null, 0.9],
      ].map(([minute, actual_tvl, tvl_on_vault, adjusted_redeem_ratio]) => ({
        ...vault,
        observed_at: `2026-01-05 10:${minute}:00`,
        actual_tvl: actual_tvl ?? null,
        tvl_on_vault: tvl_on_vault ?? null,
        adjusted_redeem_ratio: adjusted_redeem_ratio ?? null,
      })),
    })
  })
  afterAll(fill)

  it.each(traced)("mart.%s.%s: the points that had a ratio", async (name, column) => {
    const mart = marts.find((each) => each.name === name)
    const sources = mart?.from?.filter(({ columns }) => Object.hasOwn(columns, column)) ?? []
    await warehouse.connection.run(`USE ${CATALOG}`)
    for (const { table, where } of sources) {
      const rows = await readRows(
        warehouse.connection,
        `SELECT fact.adjusted_redeem_ratio AS ratio
         FROM mart.${identifier(name)} AS mart, ${table} AS fact WHERE ${where}`,
      )
      expect(rows).toEqual([{ ratio: 0.9 }, { ratio: 0.9 }])
    }
    await warehouse.connection.run("USE memory")
    expect(sources).toHaveLength(1)
  })
})

it("the lowest of equal health factors is traced to the oldest one that is still its subaccount's newest", async () => {
  const source = marts
    .find(({ name }) => name === "vault_latest")
    ?.from?.find(({ columns }) => Object.hasOwn(columns, "lowest_health_age_hours"))
  await putGiven(warehouse.connection, {
    "core.vaults": [{ vault_address: "a", chain_id: 1, chain_type: "evm", is_current: true }],
    "core.vault_subaccounts": ["s1", "s2", "s3"].map((subaccount_address) => ({
      vault_address: "a",
      subaccount_address,
      is_current: true,
    })),
    "core.health_factors": (
      [
        ["s1", 10, 1.3],
        ["s2", 11, 1.3],
        ["s3", 8, 1.3],
        ["s3", 9, 1.5],
      ] as const
    ).map(([subaccount_address, hour, health_factor], at) => ({
      health_factor_id: String(at),
      subaccount_address,
      calculated_at: `2026-01-05 ${hour}:00:00`,
      health_factor,
      total_loan: 10,
    })),
  })
  await warehouse.connection.run(`USE ${CATALOG}`)
  const rows = await readRows(
    warehouse.connection,
    `SELECT fact.subaccount_address AS subaccount FROM mart.vault_latest AS mart, ${source?.table} AS fact
     WHERE ${source?.where} ORDER BY ${source?.first_by}`,
  )
  await warehouse.connection.run("USE memory")
  expect(rows).toEqual([{ subaccount: "s1" }, { subaccount: "s2" }])
  await fill()
})
