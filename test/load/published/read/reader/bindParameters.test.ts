// Values given to a query: it gets those that it names, as often and in whatever way, and no others.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, expect, it } from "vitest"
import type { QueryParameters } from "../../../../../src/domain/values/queryParameter.ts"
import { bindParameters } from "../../../../../src/load/published/read/reader/bindParameters.ts"

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

it.each<[sql: string, given: QueryParameters, value: unknown]>([
  ["-- or getvariable('days') in any client\nselect $days", { days: 3 }, 3],
  ["select 'getvariable(''days'')' || $days", { days: "!" }, "getvariable('days')!"],
  ["select $x + getvariable('x')", { x: 2 }, 4],
  ["select getvariable('x')", { x: "text" }, "text"],
  ["select getvariable('toString')", {}, null],
  ["select $constructor", { constructor: 7 }, 7],
  ["select 'a' -- $x", { x: 1 }, "a"],
  ["select $été", { été: "summer" }, "summer"],
  ["select $1", { 1: "first" }, "first"],
])("%s with %j", async (sql, given, value) => {
  const rows = await connection.runAndReadAll(sql, await bindParameters(connection, sql, given))
  expect(rows.getRows()).toEqual([[value]])
})

it("a name without a value is DuckDB's error", async () => {
  const sql = "select $toString, $x"
  const bound = await bindParameters(connection, sql, { x: 1 })
  await expect(connection.runAndReadAll(sql, bound)).rejects.toThrow("toString")
})
