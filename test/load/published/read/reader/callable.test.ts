// What a query may call: every function and view of the installed DuckDB has been decided about, and the decision holds
// however the call is written.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, describe, expect, it } from "vitest"
import {
  allowed,
  refusal,
  refused,
} from "../../../../../src/load/published/read/reader/callable.ts"
import { Guard } from "../../../../../src/load/published/read/reader/guard.ts"
import { randomness } from "../../../../support/randomness.ts"

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const column = async (sql: string): Promise<ReadonlyArray<string>> =>
  (await connection.runAndReadAll(sql)).getRowsJson().map(([value]) => String(value))

// Reads the views and macros once.
const guard = new Guard(connection)

const decided = async (sql: string): Promise<string> =>
  guard.check(sql).then(
    () => "allowed",
    (cause: unknown) => (cause as Error).message,
  )

describe("every name of DuckDB", () => {
  it("is allowed or refused, never both and never neither", async () => {
    const functions = async (isTable: boolean) =>
      column(
        `select distinct lower(function_name) from duckdb_functions()
         where function_type <> 'pragma' and (function_type like 'table%') = ${isTable}`,
      )
    const calls = await functions(false)
    const tables = await functions(true)
    const views = await column(
      "select distinct lower(view_name) from duckdb_views() where internal",
    )
    expect(calls.length + tables.length).toBeGreaterThan(800)
    const isCallable = (name: string) => allowed.scalar.has(name) || allowed.aggregate.has(name)
    const isDecided = (isAllowed: boolean, why: string | undefined) =>
      isAllowed !== (why !== undefined)
    expect(calls.filter((name) => !isDecided(isCallable(name), refusal(name)))).toEqual([])
    expect(
      tables.filter((name) => !isDecided(allowed.table.has(name), refusal(name, "from"))),
    ).toEqual([])
    expect(views.filter((name) => !isDecided(allowed.view.has(name), refusal(name)))).toEqual([])
    // No list has a name that this version does not have: it may be spelt wrong.
    const known = new Set([...calls, ...tables, ...views])
    const listed = [
      ...Object.values(allowed).flatMap((names) => [...names]),
      ...refused.flatMap(({ names }) => [...names].map((name) => name.replace("from:", ""))),
    ]
    expect(listed.filter((name) => !name.endsWith("*") && !known.has(name))).toEqual([])
  })

  it("that is refused can be called in no way", async () => {
    const names = await column(
      "select distinct function_name from duckdb_functions() where function_type <> 'pragma'",
    )
    const wrong = names.filter((name) => refusal(name.toLowerCase()) !== undefined)
    expect(wrong.length).toBeGreaterThan(80)
    for (const name of wrong) {
      const quoted = `"${name.toUpperCase()}"`
      for (const sql of [
        `select * from ${quoted}()`,
        `select ${quoted}(1)`,
        `select * from system.main.${quoted}(1)`,
        `select 1 where 1 in (select ${quoted}('x') from range(2))`,
        `with a as (from ${quoted}()) from a`,
        `describe select ${quoted}()`,
        `explain analyze from ${quoted}('x')`,
        `select [${quoted}(x) for x in [1]]`,
        `from range(3) t(i) order by ${quoted}(i)`,
        `select sum(${quoted}(1)) over (order by ${quoted}(2))`,
        `pivot (from ${quoted}()) on a in (1) using max(b)`,
        `select 1 limit (select ${quoted}())`,
        `from range(2) join lateral (from ${quoted}()) on true`,
        `select ('x').${quoted}()`,
      ]) {
        expect(`${sql}: ${await decided(sql)}`).toContain(`can't use ${name.toLowerCase()}()`)
      }
    }
    for (const view of await column("select view_name from duckdb_views() where internal")) {
      if (allowed.view.has(view.toLowerCase())) continue
      for (const from of [
        `"${view.toUpperCase()}"`,
        `(select * from ${view})`,
        `system.main.${view}`,
      ]) {
        expect(`${view}: ${await decided(`summarize from ${from}`)}`).toContain(`can't use ${view}`)
      }
    }
  })
})

describe("a statement", () => {
  const allowedOnes = [
    "select 1;  -- c",
    "-- c\nwith recursive r as (select 1 as x union all select x + 1 from r where x < 3) from r",
    "from range(3)",
    "values (1), (2)",
    "describe select 1",
    "summarize from range(3)",
    "show tables",
    "show all tables",
    "show schemas",
    "show tables from main",
    "from (show tables)",
    "describe",
    "explain select 1",
    "/* a */ explain analyze select 1",
    "explain (format json) select 1",
    "explain (select 1)",
    "select $p + $q",
    "select getvariable('x')",
    "pivot (select 1 as a, 'x' as b) on b in ('x') using sum(a)",
    "unpivot (select 1 as a, 2 as b) on a, b",
    "select unnest([1, 2]), count(*) filter (where true), columns(*) from range(2)",
    "select current_date, 'a' like 'b', [1][1], {'x': 1}.x, ('b').upper(), try_cast('1' as int)",
    "select * from information_schema.columns",
    "select arg_max(x, y) over (order by y), grouping(x) from (values (1, 2)) t(x, y) group by x, y",
    "from (values (1)) a(i) asof join (values (1)) b(j) on a.i >= b.j",
    "select case when true then coalesce(null, 1) else ifnull(2, 3) end, extract(year from now())",
  ]
  it.each(allowedOnes)("may run: %s", async (sql) => expect(await decided(sql)).toBe("allowed"))

  const refusedOnes: ReadonlyArray<readonly [string, RegExp]> = [
    ["create table x as select 1", /read-only/],
    ["insert into x values (1)", /read-only/],
    ["copy (select 1) to '/tmp/x'", /read-only/],
    ["export database '/tmp/x'", /read-only/],
    ["attach ':memory:' as other", /read-only/],
    ["set memory_limit = '9GB'", /read-only/],
    ["set variable x = 1", /read-only/],
    ["pragma table_info('x')", /read-only/],
    ["call enable_logging()", /read-only/],
    ["explain create table x as select 1", /read-only/],
    ["explain call enable_logging()", /read-only/],
    ["prepare p as select 1", /read-only/],
    ["load httpfs", /read-only/],
    ["checkpoint", /read-only/],
    ["begin", /read-only/],
    ["", /read-only/],
    ["-- nothing", /read-only/],
    ["select 1; select 2", /2 statements; run them one at a time/],
    ["show variables", /can't use duckdb_variables\(\)/],
    ["from (show variables)", /can't use duckdb_variables\(\)/],
    ['describe "variables"', /can't use duckdb_variables\(\)/],
    ["summarize variables", /can't use duckdb_variables\(\)/],
    ["explain SHOW DATABASES", /can't use duckdb_databases\(\)/],
    ["pivot (show databases) on database_name in ('x')", /can't use duckdb_databases\(\)/],
    ["from histogram('pg_settings', name)", /can't use histogram\(\)/],
    ["from histogram(pg_settings, name)", /can't use histogram\(\)/],
    [`select ${"9".repeat(400)}`, /larger than a DOUBLE.*HUGEINT/s],
    ["from range(length(current_query()))", /can't use current_query\(\)/],
    ["from unnest([(select current_query())])", /can't use current_query\(\)/],
    ["select current_query()", /can't use current_query\(\)/],
    ["explain (format json /*) select 1 -- */) select nextval('s')", /can't use|syntax error/],
    ["explain (analyze) select setseed(1)", /can't use setseed/],
    ["select nobody_knows(1)", /can't use nobody_knows\(\): it is not known/],
    ["selec 1", /syntax error at or near "selec"/],
  ]
  it.each(refusedOnes)("may not: %s", async (sql, why) => expect(await decided(sql)).toMatch(why))
})

describe("what to write instead", () => {
  it.each([
    ["pragma table_info('x')", "DESCRIBE schema.table"],
    ["-- c\n set variable x = 1", "--param name="],
    ["create temp table x as select 1", "WITH name AS (SELECT …)"],
    ["call pragma_version()", "SELECT * FROM function(…)"],
    ["pivot (select 1 as a, 'x' as b) on b using sum(a)", "ON name IN"],
    ["copy (select 1) to '/tmp/x.csv'", "--format csv"],
    ["attach 'x.duckdb'", "published/vaulthouse.duckdb in DuckDB itself"],
    ["vacuum", "nothing that writes, sets or calls does"],
    ["select 1; select 2", "one at a time"],
  ])("is said of %s", async (sql, advice) => expect(await decided(sql)).toContain(advice))
})

it("what runs is what was checked, however comments and quotes are mixed", async () => {
  await connection.run("create sequence counted")
  const last = async () =>
    column("select last_value from duckdb_sequences() where sequence_name = 'counted'")
  const before = await last()
  const parts =
    "/*|*/|--|\n|\r|'|\"|$$|E'|\\|\u00a0|;|(|)|analyze|(format json)|explain|EXPLAIN|select 1|select nextval('counted')".split(
      "|",
    )
  const random = randomness("what runs is what was checked")
  const pick = () => parts[Math.floor(random() * parts.length)] ?? ""
  let ran = 0
  const tries = [
    "/* /* */ explain select 1 -- */ select nextval('counted')",
    "-- x\rselect nextval('counted') where '' <> '\nexplain select 1 --'",
    "explain (format json /*) select 1 -- */) select nextval('counted')",
    "select nextval('counted') /* explain */",
  ]
  const run = async (sql: string) => {
    const checked = await guard.check(sql).catch(() => undefined)
    if (checked === undefined) return
    ran++
    await connection.runAndReadAll(checked).catch(() => undefined)
    expect({ sql, last: await last() }).toEqual({ sql, last: before })
  }
  for (const sql of tries) await run(sql)
  for (let tried = 0; tried < 3000; tried++) {
    await run(Array.from({ length: Math.floor(random() * 12) }, pick).join(" "))
  }
  expect(ran).toBeGreaterThan(5)
})

it("a text that could be split into comments in many ways is decided at once", async () => {
  expect(await decided(`${"/* */ ".repeat(2000)}${"--a".repeat(2000)}\nexplai 1`)).toContain(
    "syntax",
  )
})

it("a check that was stopped spoils no later one", async () => {
  let stopped = 0
  while (stopped < 3) {
    const fresh = new Guard(connection)
    const interrupting = setInterval(() => connection.interrupt(), 0)
    const first = await fresh.check("select upper('a') from duckdb_tables").catch(String)
    clearInterval(interrupting)
    if (!first.includes("INTERRUPT")) continue
    stopped++
    expect(await fresh.check("select upper('a') from duckdb_tables")).toContain("upper")
  }
})
