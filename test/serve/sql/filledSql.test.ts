// Values of parameters in the text of a query: DuckDB reads back what was given, wherever it stands.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
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

it("leaves text in dollar quotes and with escapes as it is", () => {
  const sql = String.raw`select $$it's $a$$, $t$ $$ it's $a $t$, e'it\'s $a', '' || $a`
  expect(filledSql(sql, { a: 7, t: 8 })).toBe(sql.replace("|| $a", "|| 7"))
})

it.each(["/*", "'", '"', "$$", "$t$", String.raw`e'\'`])(
  "what %s begins and nothing ends is one part, in which nothing is searched",
  (begun) => {
    const unended = begun + "/*a $b ".repeat(1000)
    expect([...filledParts(`select $b, ${unended}`, { b: 7 })]).toEqual([
      "select ",
      "7",
      ", ",
      unended,
      "",
    ])
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

const instance = await DuckDBInstance.create()
