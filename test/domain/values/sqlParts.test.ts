// Where quotes, comments and parameters are in SQL, and which names a query has.
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { splitStatements } from "../../../src/cli/commands/query/statementText.ts"
import { parameterNames } from "../../../src/domain/values/queryParameter.ts"
import { sqlParts } from "../../../src/domain/values/sqlParts.ts"

describe("the parameters of a query", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["select $a, getvariable('b')", ["a", "b"]],
    ["select '--' || $x", ["x"]],
    ['select 1 as "--", $x', ["x"]],
    ["select $x -- $y\n + $z", ["x", "z"]],
    ["select 1 /* $x\n getvariable('y') */ + $z", ["z"]],
    ["select '$x' || 'getvariable(''y'')' || $$ $z $$", []],
    ["select $1, $é, getvariable('é')", ["1", "é"]],
    ["select GETVARIABLE('a'), getvariable ( 'b' )\n, GetVariable(\n'c')", ["a", "b", "c"]],
    ["select a$b, getvariables('x')", []],
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

const instance = await DuckDBInstance.create(":memory:")
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** How many statements DuckDB finds, and how many the parts are. */
const counts = async (sql: string): Promise<readonly [number, number]> => [
  (await connection.extractStatements(sql)).count,
  splitStatements(`${sql};`).statements.length,
]

describe("DuckDB sees as many statements in", () => {
  it.each([
    ["select 1 as a$$; select 2; select 3 as b$$", 3],
    ["select 1 as a$b$c; select 2 as a$b$c", 2],
    ["select 1 as é$$; select 2 as é$$", 2],
    ["select 1 as\u00A0$$;$$; select 2", 2],
    ["/* a /* b */ ; */ select 1; select 2", 2],
    ["select 1 /*/* ; */ ; */; select 2 /**/; select 3 /* ; **/", 3],
    ["select $é$;x$é$; select $é_1$;$$;$é_1$", 2],
    ["select $é; select $t", 2],
    ["select e'a'\n'\\';'; select 1", 2],
    ["select e'a' -- ';\n -- ;'\n '\\';'; select 1", 2],
    ["select 'a'\n'b\\'; select 1", 2],
    ["select E'\\';' as ape; select 1", 2],
  ])("%j", async (sql, expected) => {
    expect(await counts(sql)).toEqual([expected, expected])
  })
})

const Token = Schema.Literals([
  "'",
  '"',
  "$$",
  "$t$",
  "$é$",
  "--",
  "/*",
  "*/",
  "\n",
  "e'\\'",
  "\\",
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

const inQuotes: Readonly<Record<string, (content: string) => string>> = {
  "'": (content) => `'${content.replaceAll("'", "''")}'`,
  "e'": (content) => `e'${content.replaceAll(/['\\]/g, "\\$&")}'`,
  '"': (content) => `1 as "a${content.replaceAll('"', '""')}"`,
  $$: (content) => `$$${content.replaceAll("$", "")}$$`,
  $é$: (content) => `$é$${content.replaceAll("$é$", "")}$é$`,
  "--": (content) => `1 --${content.replaceAll("\n", "")}\n`,
  "/*": (content) => `1 /* /*${content.replaceAll(/[*/]/g, "")}*/ ; */`,
}
const Quotes = Schema.Literals(Object.keys(inQuotes))

it.effect.prop(
  "DuckDB sees as many statements, whatever is in quotes and comments",
  [Schema.NonEmptyArray(Schema.Tuple([Quotes, Schema.Array(Token)]))],
  ([written]) =>
    Effect.promise(async () => {
      const statements = written.map(
        ([quotes, tokens]) => `select ${inQuotes[quotes]?.(tokens.join("")) ?? ""};`,
      )
      const count = statements.length
      expect(await counts(statements.join(" "))).toEqual([count, count])
    }),
)

it.each([
  "'",
  '"',
  "$",
  "$$",
  "$t",
  "$t$",
  "a$",
  "é",
  "e'",
  "e''\n",
  "e''--",
  "\\",
  "/*",
  "/*/",
  "*/",
  "--",
])("a long text of %j takes time in proportion to its length", (piece) => {
  for (const begun of ["", "e'", "e''\n", "/*", "$a$"]) {
    const sql = begun + piece.repeat(200_000 / piece.length)
    expect([...sqlParts(sql)].reduce((sum, { text }) => sum + text.length, 0)).toBe(sql.length)
  }
})
