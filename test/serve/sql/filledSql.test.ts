// Values of parameters in the text of a query: DuckDB reads back what was given, wherever it stands.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { QueryParameters } from "../../../src/domain/values/queryParameter.ts"
import { bindParameters } from "../../../src/load/published/read/reader/bindParameters.ts"
import { filledParts, filledSql } from "../../../src/serve/sql/filledSql.ts"

it("fills in parameters, and leaves text, names and comments as they are", () => {
  const sql = `select '$a' as "$a", $a, getvariable('b') -- $a\n/* $a */ + $c`
  expect(filledSql(sql, { a: "it's", b: 7 })).toBe(
    `select '$a' as "$a", 'it''s', 7 -- $a\n/* $a */ + $c`,
  )
  expect(filledSql("$d, $n, $y", { d: { day: 0 }, n: null, y: true })).toBe(
    "date '1970-01-01', null, true",
  )
})

it("leaves a name that every object has as it is if no value is given", () => {
  const sql = "select $constructor, getvariable('toString')"
  expect(filledSql(sql, {})).toBe(sql)
})

it("leaves text in dollar quotes and with escapes as it is", () => {
  const sql = String.raw`select $$it's $a$$, $t$ $$ it's $a $t$, e'it\'s $a', '' || $a`
  expect(filledSql(sql, { a: 7, t: 8 })).toBe(sql.replace("|| $a", "|| 7"))
})

it.each(["/*", "'", '"', "$$", "$t$", String.raw`e'\'`])(
  "what %s begins and nothing ends is one part, in which nothing is searched",
  (begun) => {
    const unended = begun + "/*a $b ".repeat(1000)
    const parts = [...filledParts(`select $b, ${unended}`, { b: 7 })]
    expect(parts).toEqual(["select ", "7", ", ", unended])
  },
)

const Hostile = Schema.Literals(["'; drop table t --", "$a", "''", "\\'", "$$", "/* '", "\r\n"])

it.effect.prop(
  "any text is read back as itself, and ends no statement",
  [Schema.Union([Schema.String, Hostile])],
  ([text]) =>
    Effect.promise(async () => {
      if (text.includes("\u0000")) return
      const connection = await instance.connect()
      const rows = await connection.runAndReadAll(filledSql("select $a as a, 1 as b", { a: text }))
      expect(rows.getRows()).toEqual([[text.toWellFormed(), 1]])
      connection.closeSync()
    }),
)

const rowsOf = async (sql: string, given: QueryParameters = {}) => {
  const connection = await instance.connect()
  const rows = await connection.runAndReadAll(sql, await bindParameters(connection, sql, given))
  connection.closeSync()
  return rows.getRowObjectsJson()
}

const Day = Schema.Int.check(Schema.isBetween({ minimum: -600_000, maximum: 2_900_000 }))
const Micros = Schema.Int.check(Schema.isBetween({ minimum: -9e15, maximum: 9e15 }))
const Whole = Schema.Int.check(Schema.isBetween({ minimum: -2e9, maximum: 9e15 }))
const Value = Schema.Union([
  Whole,
  Schema.Finite.check(Schema.isBetween({ minimum: -1e6, maximum: 1e6 })),
  Schema.Literals([-0, -5, -0.1, 0.1, 1e-7, -1e-7, 2.5]),
  Schema.Boolean,
  Schema.Null,
  Schema.Struct({ day: Day }),
  Schema.Struct({ micros: Micros }),
])

it.effect.prop("a value in the text gives what it gives if it is bound", [Value], ([value]) =>
  Effect.promise(async () => {
    const sqls = ["select $a as v, typeof($a) as t, 1 as y"]
    if (typeof value === "number") {
      sqls.push("select 10-$a as v, -$a as m, $a^2 as s, $a::varchar as t, 1 as y")
      sqls.push("select 10-getvariable('a') as v, 0.1+getvariable('a') as w, 1 as y")
    }
    for (const sql of sqls) {
      expect(await rowsOf(filledSql(sql, { a: value }))).toEqual(await rowsOf(sql, { a: value }))
    }
  }),
)

it("a negative number is not read with a minus before it, as a comment or another operator", () => {
  expect(filledSql("select 10-$n, 5%$n", { n: -5 })).toBe("select 10-(-5), 5%(-5)")
  expect(filledSql("select 10-$n", { n: -0.25 })).toBe("select 10-(-0.25e0)")
  expect(filledSql("select 10-$n", { n: -0 })).toBe("select 10-0")
})

it("an instant keeps its microseconds", () => {
  expect(filledSql("select $t", { t: { micros: 1_000_001 } })).toBe(
    "select timestamp '1970-01-01T00:00:01.000001'",
  )
})

const instance = await DuckDBInstance.create()
