// Schema meta of a warehouse: the dictionary and the questions are whole, and views show what they rename.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { dictionaryOf } from "../../../src/load/marts/dictionary.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import {
  declaredTables,
  openWarehouse,
  readRows,
  type TestWarehouse,
} from "../../warehouse/support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
})
afterAll(() => warehouse.close())

const read = (sql: string) => readRows(warehouse.connection, sql)

it("describes every table and view with every column, as the catalog has them", async () => {
  const missing = await read(
    `SELECT schema_name || '.' || table_name AS table_name, column_name FROM duckdb_columns()
     WHERE database_name = '${CATALOG}' AND NOT internal
     EXCEPT SELECT table_name, column_name FROM ${CATALOG}.meta.columns`,
  )
  expect(missing).toEqual([])
  const entries = dictionaryOf(declaredTables)
  expect(await read(`SELECT count(*)::INTEGER AS n FROM ${CATALOG}.meta.tables`)).toEqual([
    { n: entries.length },
  ])
})

it("names the response fields of each column that has some, and null of the others", async () => {
  const withFields = dictionaryOf(declaredTables)
    .flatMap(({ columns }) => columns)
    .filter(({ fields }) => fields.length > 0)
  expect(withFields.length).toBeGreaterThan(0)
  const named = await read(
    `SELECT count(fields)::INTEGER AS named, count(nullif(fields, ''))::INTEGER AS with_name
     FROM ${CATALOG}.meta.columns`,
  )
  expect(named).toEqual([{ named: withFields.length, with_name: withFields.length }])
})

it("has the worked questions, each with its reader", async () => {
  const questions = await read(`SELECT * FROM ${CATALOG}.meta.questions ORDER BY name`)
  const files = readdirSync(join(import.meta.dirname, "../../../warehouse/examples"))
  expect(questions.map(({ name }) => `${String(name)}.sql`)).toEqual(files.toSorted())
  for (const { question, reader, sql } of questions) {
    expect(question).toMatch(/^[A-Z].*\?$/)
    expect(reader).toMatch(/^(an?|the|anyone) [^.]+$/)
    expect(sql).toContain("select")
  }
})

it("shows freshness and runs, with comments", async () => {
  expect(await read(`SELECT * FROM ${CATALOG}.meta.freshness`)).toEqual([])
  expect(await read(`SELECT * FROM ${CATALOG}.meta.runs`)).toEqual([])
  const uncommented = await read(
    `SELECT column_name FROM duckdb_columns()
     WHERE database_name = '${CATALOG}' AND schema_name = 'meta' AND table_name IN ('freshness', 'runs') AND comment IS NULL`,
  )
  expect(uncommented).toEqual([])
})
