// Values of parameters in the text of a query: DuckDB reads back what was given, wherever it stands.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { filledSql } from "../../../src/serve/sql/filledSql.ts"

it("fills in parameters, and leaves text, names and comments as they are", () => {
  const sql = `select '$a' as "$a", $a, getvariable('b') -- $a\n/* $a */ + $c`
  expect(filledSql(sql, { a: "it's", b: 7 })).toBe(
    `select '$a' as "$a", 'it''s', 7 -- $a\n/* $a */ + $c`,
  )
  expect(filledSql("$d, $n, $y", { d: { day: 0 }, n: null, y: true })).toBe(
    "date '1970-01-01', null, true",
  )
})

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
