// mart.<table>_as_of(instant): what was known then, through revisions, endings, copies and time zones.
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { allColumns, tableName } from "../../../src/domain/table/table.ts"
import { asOfMacros } from "../../../src/load/marts/asOf.ts"
import { marts } from "../../../src/load/marts/marts.ts"
import { STORAGE_VERSION } from "../../../src/load/storage/template.ts"
import { CATALOG, literal } from "../../../src/load/sql/sql.ts"
import {
  openWarehouse,
  putGiven,
  readRows,
  tables,
  type TestWarehouse,
} from "../../warehouse/support.ts"

const macros = asOfMacros(tables)

// The 10 o'clock point was revised twice, the 11 o'clock point came late and was never revised.
const point = { vault_address: "a", observed_at: "2026-01-01 10:00:00" }
const given = {
  "core.ratio_history": [
    { ...point, actual_tvl: 3, _updated_at: "2026-01-05", _first_seen_at: "2026-01-01" },
    {
      vault_address: "a",
      observed_at: "2026-01-01 11:00:00",
      actual_tvl: 7,
      _updated_at: "2026-01-04",
    },
  ],
  "core.ratio_history_versions": [
    { ...point, actual_tvl: 1, _updated_at: "2026-01-01", _superseded_at: "2026-01-03" },
    { ...point, actual_tvl: 2, _updated_at: "2026-01-03", _superseded_at: "2026-01-05" },
  ],
  // Named, renamed, gone for two days, and back.
  "core.vaults": [
    version("Alpha", "2026-01-01", "2026-01-03", false),
    version("Beta", "2026-01-03", "2026-01-05", false),
    version("Beta", "2026-01-07", null, true),
  ],
}

function version(vault_name: string, valid_from: string, valid_to: string | null, is: boolean) {
  return { chain_id: 1, vault_address: "a", vault_name, valid_from, valid_to, is_current: is }
}

let warehouse: TestWarehouse
let copy: string
beforeAll(async () => {
  warehouse = await openWarehouse()
  const { connection, directory } = warehouse
  await putGiven(connection, given)
  copy = join(directory, "renamed.duckdb")
  await connection.run(
    `ATTACH ${literal(copy)} AS copied (STORAGE_VERSION ${literal(STORAGE_VERSION)})`,
  )
  await connection.run(`COPY FROM DATABASE ${CATALOG} TO copied`)
  await connection.run("DETACH copied")
})
afterAll(() => warehouse.close())

const queried = async (sql: string) => {
  await warehouse.connection.run(`USE ${CATALOG}`)
  try {
    return await readRows(warehouse.connection, sql)
  } finally {
    await warehouse.connection.run("USE memory")
  }
}

const tvlSql = (instant: string) =>
  `SELECT list(actual_tvl ORDER BY observed_at) AS tvl FROM mart.ratio_history_as_of(${instant})`

describe("a history table", () => {
  it.each([
    ["before anything", "2025-12-31", null],
    ["from its first instant on", "2026-01-01", [1]],
    ["up to the last microsecond before its revision", "2026-01-02 23:59:59.999999", [1]],
    ["revised", "2026-01-03", [2]],
    ["with what came late", "2026-01-04", [2, 7]],
    ["revised again, as it is now", "2026-01-05", [3, 7]],
  ])("%s", async (_, instant, tvl) => {
    expect(await queried(tvlSql(`timestamp ${literal(instant)}`))).toEqual([{ tvl }])
  })

  it("holds no key twice, at any instant", async () => {
    for (const day of [1, 2, 3, 4, 5, 6]) {
      const [counted] = await queried(
        `SELECT count(*) - count(DISTINCT (vault_address, observed_at)) AS twice
         FROM mart.ratio_history_as_of(timestamp '2026-01-0${day} 12:00:00')`,
      )
      expect(counted, `day ${day}`).toEqual({ twice: "0" })
    }
  })
})

describe("a slowly changing table", () => {
  it.each([
    ["before anything", "2025-12-31", []],
    ["from its first instant on", "2026-01-01", ["Alpha"]],
    ["changed", "2026-01-03", ["Beta"]],
    ["gone", "2026-01-05", []],
    ["gone still", "2026-01-06 23:59:59", []],
    ["back", "2026-01-07", ["Beta"]],
  ])("%s", async (_, instant, names) => {
    const rows = await queried(
      `SELECT vault_name, valid_to, is_current FROM mart.vaults_as_of(timestamp ${literal(instant)})`,
    )
    // That its content would end was not known then.
    expect(rows).toEqual(
      names.map((vault_name) => ({ vault_name, valid_to: null, is_current: true })),
    )
  })
})

describe("every macro", () => {
  it("is there for each table that keeps its past, and takes no mart's name", () => {
    const expected = tables.filter(({ mode }) => mode === "history" || mode === "slowly_changing")
    expect(macros.map(({ table }) => table)).toEqual(expected)
    const names = [...macros.map(({ name }) => name), ...marts.map(({ name }) => name)]
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(macros)("mart.$name has the columns of its table, with their types", async (macro) => {
    const described = await queried(
      `DESCRIBE FROM mart.${macro.name}(timestamp '2026-01-01 00:00:00')`,
    )
    const table = await queried(`DESCRIBE ${tableName(macro.table)}`)
    const typed = (rows: typeof table) => rows.map(({ column_name: n, column_type: t }) => [n, t])
    expect(typed(described)).toEqual(typed(table))
    expect(described).toHaveLength(allColumns(macro.table).length)
  })

  it("carries its comment, in the copy too, and the copy answers the same", async () => {
    const comments = `SELECT function_name AS name, comment FROM duckdb_functions()
      WHERE schema_name = 'mart' AND ends_with(function_name, '_as_of') ORDER BY function_name`
    const instance = await DuckDBInstance.create(copy, { access_mode: "READ_ONLY" })
    const reader = await instance.connect()
    try {
      const expected = macros.map(({ name, comment }) => ({ name, comment }))
      expect(await readRows(reader, comments)).toEqual(
        expected.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
      )
      const sql = tvlSql("timestamp '2026-01-04'")
      expect(await readRows(reader, sql)).toEqual([{ tvl: [2, 7] }])
    } finally {
      reader.closeSync()
      instance.closeSync()
    }
  })

  it("means the same instant in any time zone", async () => {
    const { connection } = warehouse
    await connection.run("SET TimeZone = 'America/New_York'")
    try {
      const utc = await queried(tvlSql("timestamp '2026-01-03 00:00:00'"))
      const zoned = await queried(tvlSql("timestamptz '2026-01-03 05:45:00+05:45'"))
      const before = await queried(tvlSql("timestamptz '2026-01-02 23:59:59+00:00'"))
      expect([utc, zoned, before]).toEqual([[{ tvl: [2] }], [{ tvl: [2] }], [{ tvl: [1] }]])
    } finally {
      await connection.run("SET TimeZone = 'UTC'")
    }
  })

  // The offset of a text would be lost.
  it.each([
    "time '10:00'",
    "interval 1 day",
    "timetz '10:00+02'",
    "'2026-01-03'",
    "'2026-01-03 05:45:00+05:45'::varchar",
    "20260103",
  ])("refuses %s, and says what to write", async (instant) => {
    await expect(queried(tvlSql(instant))).rejects.toThrow(
      /mart\.ratio_history_as_of needs a TIMESTAMP in UTC, a TIMESTAMPTZ or a DATE, not (TIME|INTERVAL|VARCHAR|INTEGER).*: write TIMESTAMP/,
    )
  })

  it("takes a day as its first instant, and timestamps of any precision", async () => {
    for (const type of ["date", "timestamp_s", "timestamp_ns"]) {
      expect(await queried(tvlSql(`${type} '2026-01-03'`)), type).toEqual([{ tvl: [2] }])
    }
    const before = tvlSql("timestamp_ns '2026-01-02 23:59:59.999999999'")
    expect(await queried(before)).toEqual([{ tvl: [1] }])
  })
})
