// Which views, tables and macros of a copy a query may use: the copy may have been written by another program.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, describe, expect, it } from "vitest"
import { Guard } from "../../../../../src/load/published/read/reader/guard.ts"

const opened = async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return connection
}

/** What is decided about a query of a copy with these definitions. */
const copyWith = (...definitions: ReadonlyArray<string>) => {
  const guard = opened().then(async (connection) => {
    for (const sql of definitions) await connection.run(sql)
    return new Guard(connection)
  })
  return async (sql: string): Promise<string> =>
    (await guard).check(sql).then(
      () => "allowed",
      (cause: unknown) => (cause as Error).message,
    )
}

const decided = copyWith(
  "create view good as select count(*) as n from range(3) t(i) where i in (1, 2)",
  "create view bad as select * from enable_logging()",
  "create view worse as select * from bad",
  `create view "x AS SELECT 1 --" as select * from duckdb_settings()`,
  "create macro good_macro(a) as a + 1",
  "create macro good_table(a) as table select good_macro(a) as b",
  "create macro bad_macro(a) as (select count(*) from glob(a))",
  "create macro worse_table(a) as table select bad_macro(a) as b",
  "create macro log_macro() as table select * from duckdb_logs",
  "create view through as select good_macro(1) as b",
  "create view binned as from histogram('bad', \"Success\")",
  "create table computed (a int, b as (current_setting('memory_limit')))",
  "create macro of_view() as table from bad",
  "create macro of_macro() as (select max(b) from worse_table('*'))",
  "create view of_macros as select of_macro() as b from of_view()",
  "create macro of_computed() as table from computed",
  `create view "a b" as from duckdb_settings()`,
  `create view of_spaces as from "a b"`,
  `create view "é" as from duckdb_settings()`,
  `create view of_accents as from "é"`,
  `create macro "ü"() as current_setting('memory_limit')`,
  `create view of_accented_macro as select "ü"() as b`,
  "create view shown as from (show databases)",
  "create macro described() as table from (describe variables)",
)

describe("a view or macro of the copy", () => {
  it.each(["from good", "select good_macro(1)", "from good_table(1)", "from through"])(
    "that calls what is allowed may be used: %s",
    async (sql) => expect(await decided(sql)).toBe("allowed"),
  )

  it.each([
    ["from bad", "calls enable_logging()"],
    ["select * from (from WORSE)", "uses bad: its definition in this file calls enable_logging()"],
    [`from "x AS SELECT 1 --"`, "calls duckdb_settings()"],
    ["select bad_macro('*')", "calls glob()"],
    ["from log_macro()", "uses duckdb_logs"],
    ["from binned", "histogram"],
    ["from computed", "computes a column"],
    ["from worse_table('*')", "bad_macro: its definition in this file calls glob()"],
    ["from of_view()", "uses bad: its definition in this file calls enable_logging()"],
    ["select of_macro()", "uses worse_table: its definition in this file uses bad_macro"],
    ["from of_macros", "its definition in this file uses of_"],
    ["from of_computed()", "uses computed: this file computes a column"],
    ["from of_spaces", "uses a b: its definition in this file calls duckdb_settings()"],
    ["from of_accents", "uses é: its definition in this file calls duckdb_settings()"],
    ["from of_accented_macro", "uses ü: its definition in this file calls current_setting()"],
    ["from shown", "calls duckdb_databases()"],
    ["from described()", "calls duckdb_variables()"],
  ])("that calls anything else may not: %s", async (sql, why) =>
    expect(await decided(sql)).toContain(why),
  )
})

describe("a name of DuckDB's own", () => {
  const leak = "select value from duckdb_settings()"

  it("that stands for something harmless spoils only what the copy shows", async () => {
    const harmless = copyWith(
      "create macro list_aggr(a, b) as 'nothing'",
      "create view duckdb_tables as select 1 as n",
    )
    for (const sql of ["select list_sum([1])", "from duckdb_tables", "show all tables"]) {
      expect(await harmless(sql)).toBe("allowed")
    }
  })

  // DuckDB's own macros and views, SHOW and what is left to the binder look names up in the file first.
  it.each([
    ["a macro", `create macro levenshtein(a, b) as (${leak} limit 1)`],
    ["a macro in a schema", `create schema s; create macro s.list_aggr(a, b) as (${leak})`],
    ["a table macro", `create macro duckdb_schemas() as table ${leak}`],
    ["a view", `create view duckdb_tables as ${leak}`],
    ["a macro that uses a wrong view", `create view v as ${leak}; create macro max(a) as (from v)`],
    ["a computed table", "create table duckdb_columns (a int, b as (current_setting('threads')))"],
  ])("that stands for %s that is wrong keeps every query from running", async (_, sql) => {
    const tampered = copyWith(sql)
    for (const query of [
      "select 1",
      "select list_sum([1])",
      "from information_schema.tables",
      "select a.b from (values ({'b': 1})) t(a)",
      "show all tables",
    ]) {
      expect(await tampered(query)).toContain("which this file has in the place of DuckDB's")
    }
  })

  it("hides nothing from the check itself", async () => {
    const nothing = "as table select '' as view_name, '' as sql, '' as database_name where false"
    const tampered = copyWith(
      `create view wrong as ${leak}`,
      `create macro duckdb_views() ${nothing}`,
      `create macro duckdb_functions() ${nothing}`,
      `create macro duckdb_tables() ${nothing}`,
      `create macro contains(a, b) as false`,
      `create macro json_serialize_sql(a, skip_null := true, skip_empty := true, skip_default := true)
       as '{"error":false,"statements":[{"node":{}}]}'`,
      "create table computed (a int, b as (current_setting('memory_limit')))",
    )
    expect(await tampered("from wrong")).toContain("calls duckdb_settings()")
    expect(await tampered("from computed")).toContain("computes a column")
    expect(await tampered("select current_query()")).toContain("can't use current_query()")
  })
})
