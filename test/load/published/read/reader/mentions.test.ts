// What is found in a statement, however deep it lies; what may be called is decided elsewhere.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, expect, it } from "vitest"
import { mentionsOf, Refused } from "../../../../../src/load/published/read/reader/mentions.ts"

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const found = async (sql: string) => {
  const { functions, tableFunctions, tables } = await mentionsOf(connection, sql)
  return [functions, tableFunctions, tables].map((each) => [...each].toSorted().join(" "))
}

it.each([
  ["select 1", "", "", ""],
  ["select Upper(a) from core.T order by (select MAX(b) from other.U)", "max upper", "", "t u"],
  // An argument of a table function, and a table function beside another.
  ["from read_CSV(getenv('x'))", "getenv", "read_csv", ""],
  [
    "from range((select min(i) from t)) join generate_series(1, abs(2)) using (i)",
    "abs min",
    "generate_series range",
    "t",
  ],
  [
    "with q as (from read_json('a')) select * from (from y) where exists (from z semi join q using (k))",
    "",
    "read_json",
    "q y z",
  ],
  // What is shown has a name that no statement can spell: the quotes are part of it.
  ["show databases", "", "duckdb_databases", ""],
  ["from (summarize variables), (show all tables)", "", "duckdb_tables duckdb_variables", ""],
  ["from (describe databases.variables)", "", "", "variables"],
  ["select list_transform([1], lambda v: lower(v))", "list_transform list_value lower", "", ""],
])("%s", async (sql, ...expected) => {
  expect(await found(sql)).toEqual(expected)
})

it("refuses what is no SELECT in its own words, and shows the place of a syntax error in DuckDB's", async () => {
  const failure = (sql: string): Promise<unknown> =>
    mentionsOf(connection, sql).catch((cause: unknown) => cause)
  for (const [sql, why] of [
    ["insert into t values (1)", "The published copy is read-only: a query is one SELECT."],
    ["select 1; select 2", "There are 2 statements; run them one at a time."],
    ["select 1e999", "A number in the query is larger than a DOUBLE can be."],
  ] as const) {
    const refusal = await failure(sql)
    expect(refusal).toBeInstanceOf(Refused)
    expect(String(refusal)).toContain(why)
  }
  const syntax = await failure("select 1 fro t")
  expect(syntax).not.toBeInstanceOf(Refused)
  expect(String(syntax)).toMatch(/LINE 1: select 1 fro t\n +\^/)
})
