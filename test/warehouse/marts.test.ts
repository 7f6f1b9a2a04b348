// Each mart does what its YAML file says: columns, types, comments, and given rows in, expected rows out.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  martColumnComment,
  martComment,
  marts,
  martsDirectory,
} from "../../src/load/marts/marts.ts"
import { readTests } from "../../src/load/sql/warehouseFile.ts"
import { CATALOG, literal } from "../../src/load/sql/sql.ts"
import {
  stopClock,
  martRows,
  openWarehouse,
  putGiven,
  readRows,
  type TestWarehouse,
  typedRow,
} from "./support.ts"

const someInstant = "2026-01-01 00:00:00"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
})
afterAll(() => warehouse.close())

describe.each(marts)("mart.$name", (mart) => {
  it("has the columns its YAML file describes, in their order, with their types and comments", async () => {
    const stored = await readRows(
      warehouse.connection,
      `SELECT column_name AS name, lower(data_type) AS type, comment FROM duckdb_columns()
       WHERE database_name = ${literal(CATALOG)} AND schema_name = 'mart'
         AND table_name = ${literal(mart.name)} ORDER BY column_index`,
    )
    expect(stored).toEqual(
      mart.columns.map((column) => ({
        name: column.name,
        type: column.type,
        comment: martColumnComment(column),
      })),
    )
  })

  it("carries its description as comment, and names no catalog", async () => {
    const [view] = await readRows(
      warehouse.connection,
      `SELECT comment, sql FROM duckdb_views() WHERE database_name = ${literal(CATALOG)}
         AND schema_name = 'mart' AND view_name = ${literal(mart.name)}`,
    )
    expect(view?.comment).toBe(martComment(mart))
    expect(view?.sql).not.toContain(CATALOG)
  })

  it("answers its example", async () => {
    await warehouse.connection.run(`USE ${CATALOG}`)
    // Fails where the statement does.
    await warehouse.connection
      .run(mart.example)
      .finally(() => warehouse.connection.run("USE memory"))
    expect(mart.example).toContain(`mart.${mart.name}`)
  })
})

describe.each(marts)("mart.$name, given rows", (mart) => {
  it.each(readTests(martsDirectory, mart.name))("$name", async (test) => {
    const { connection } = warehouse
    await putGiven(connection, test.given)
    await stopClock(connection, test.now ?? someInstant)
    const expected = await Promise.all(test.expect.map((row) => typedRow(connection, mart, row)))
    const rows = await martRows(connection, mart)
    // A column that an expected row leaves out may be anything.
    const actual = rows.map((row, index) =>
      Object.fromEntries(Object.keys(expected[index] ?? row).map((name) => [name, row[name]])),
    )
    expect(actual).toEqual(expected)
  })
})
