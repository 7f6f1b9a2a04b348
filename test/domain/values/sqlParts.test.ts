// Where quotes, comments and parameters are in SQL, and which names a query has.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parameterNames } from "../../../src/domain/values/queryParameter.ts"
import { sqlParts } from "../../../src/domain/values/sqlParts.ts"

describe("the parameters of a query", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["select $a, getvariable('b')", ["a", "b"]],
    ["select '--' || $x", ["x"]],
    ['select 1 as "--", $x', ["x"]],
    ["select $x -- $y\n + $z", ["x", "z"]],
    ["select 1 /* $x\n getvariable('y') */ + $z", ["z"]],
    // DuckDB says what is wrong with a name in quotes.
    ["select '$x'", ["x"]],
  ]
  it.each(cases)("%j", (sql, names) => {
    expect([...parameterNames(sql)]).toEqual(names)
  })
})

it("a part says what it is; a quote without an end goes on to the end", () => {
  const sql = "select 'a''b' || $x /* c */ from \"t\" where y = 'it''"
  expect([...sqlParts(sql)].filter(({ kind }) => kind !== "code")).toEqual([
    { text: "'a''b'", kind: "quoted" },
    { text: "$x", kind: "parameter", name: "x" },
    { text: "/* c */", kind: "comment" },
    { text: '"t"', kind: "quoted" },
    { text: "'it''", kind: "quoted" },
  ])
})

const Token = Schema.Literals([
  "'",
  '"',
  "$$",
  "$t$",
  "--",
  "/*",
  "*/",
  "\n",
  "e'\\'",
  "$x",
  ";",
  "a",
])

it.effect.prop("the parts together are the text", [Schema.Array(Token)], ([tokens]) =>
  Effect.sync(() => {
    const sql = tokens.join("")
    const parts = [...sqlParts(sql)]
    expect(parts.map(({ text }) => text).join("")).toBe(sql)
  }),
)
