// How `query` prints values that are hard to print, and how --param reads them.
import { DuckDBInstance, type DuckDBResult } from "@duckdb/node-api"
import { afterAll, describe, expect, it } from "vitest"
import { type Format, printResult } from "../../../../src/cli/commands/query/formats.ts"
import { typedValue } from "../../../../src/pipelines/readers/query/typedValues.ts"
import type { QueryParameters } from "../../../../src/domain/values/queryParameter.ts"
import { bindParameters } from "../../../../src/load/published/read/reader/bindParameters.ts"
import type { QueryResult } from "../../../../src/load/published/read/PublishedCopy.ts"
import { uniqueNames } from "../../../../src/load/published/read/reader/uniqueNames.ts"
import { valuesOf } from "../../../../src/load/published/read/reader/valuesOf.ts"

const instance = await DuckDBInstance.create(":memory:")
afterAll(() => instance.closeSync())

async function* rowsOf(result: DuckDBResult): QueryResult["rows"] {
  for await (const chunk of result) {
    const columns = Array.from({ length: chunk.columnCount }, (_, at) =>
      valuesOf(chunk.getColumnVector(at)),
    )
    yield Array.from({ length: chunk.rowCount }, (_, at) => columns.map((valueAt) => valueAt(at)))
  }
}

const printed = async (sql: string, format: Format, values?: QueryParameters, csvSafe = false) => {
  const connection = await instance.connect()
  try {
    const result = await connection.stream(sql, await bindParameters(connection, sql, values))
    const names = uniqueNames(result.columnNames())
    const types = result.columnTypes()
    const columns = types.map((type, at) => ({
      type: type.alias ?? String(type),
      name: names[at] ?? "",
    }))
    const rows = rowsOf(result)
    let text = ""
    const printing = { format, maxRows: Infinity, maxWidth: Infinity, csvSafe }
    await printResult({ columns, rows }, printing, (part) => {
      text += part
      return Promise.resolve(true)
    })
    return text
  } finally {
    connection.closeSync()
  }
}

/** [SQL, in CSV, in JSON]. */
const values: ReadonlyArray<readonly [sql: string, csv: string, json: string]> = [
  ["null", "", "null"],
  ["''", `""`, `""`],
  [`'a"b'`, `"a""b"`, String.raw`"a\"b"`],
  [`'a' || chr(10) || 'b'`, `"a\nb"`, String.raw`"a\nb"`],
  [`'a' || chr(13) || 'b'`, `"a\rb"`, String.raw`"a\rb"`],
  ["'a,b;c'", `"a,b;c"`, `"a,b;c"`],
  // 2^256 - 1, as raw token amounts are kept.
  [
    "'115792089237316195423570985008687907853269984665640564039457584007913129639935'",
    "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    `"115792089237316195423570985008687907853269984665640564039457584007913129639935"`,
  ],
  ["9007199254740992::bigint", "9007199254740992", `"9007199254740992"`],
  ["9007199254740991::bigint", "9007199254740991", "9007199254740991"],
  [
    "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105727",
    `"170141183460469231731687303715884105727"`,
  ],
  ["1.50::decimal(5, 2)", "1.50", `"1.50"`],
  ["0.1::double + 0.2", "0.30000000000000004", "0.30000000000000004"],
  ["'nan'::double", "NaN", `"NaN"`],
  ["true", "true", "true"],
  [
    `'{"a": 9007199254740993, "b": [1,\n2]}'::json`,
    `"{""a"": 9007199254740993, ""b"": [1,\n2]}"`,
    `{"a": 9007199254740993, "b": [1, 2]}`,
  ],
  ["null::json", "", "null"],
  // What DuckDB takes for JSON and no other parser does.
  ["json_array('nan'::double)", "[NaN]", `"[NaN]"`],
  ["to_json('inf'::double)", "Infinity", `"Infinity"`],
  [`'{"b":[1,]}'::json`, `"{""b"":[1,]}"`, String.raw`"{\"b\":[1,]}"`],
  ["'[-0, 1.10, 1e400]'::json", `"[-0, 1.10, 1e400]"`, "[-0, 1.10, 1e400]"],
  ["[1, null]", `"[1,null]"`, "[1,null]"],
  [
    "timestamp '2026-01-01 00:00:00.123456'",
    "2026-01-01T00:00:00.123456Z",
    `"2026-01-01T00:00:00.123456Z"`,
  ],
  ["timestamp '2026-01-01'", "2026-01-01T00:00:00.000Z", `"2026-01-01T00:00:00.000Z"`],
  ["'infinity'::timestamp", "infinity", `"infinity"`],
  ["date '2026-01-01'", "2026-01-01", `"2026-01-01"`],
  ["interval '1 day 2 hours'", "1 day 02:00:00", `"1 day 02:00:00"`],
  ["'ü–√'", "ü–√", `"ü–√"`],
  ["'infinity'::date", "infinity", `"infinity"`],
  [String.raw`'\x5C\x00'::blob`, String.raw`\x5C\x00`, String.raw`"\\x5C\\x00"`],
  ["row(1, 2)", `"[1,2]"`, "[1,2]"],
  ["struct_insert(row(1, 2), c := 3)", `"[1,2,3]"`, "[1,2,3]"],
  ["list_zip([1], ['a'])", `"[[1,""a""]]"`, `[[1,"a"]]`],
  ["{'__proto__': 1, 'b': 2}", `"{""__proto__"":1,""b"":2}"`, `{"__proto__":1,"b":2}`],
]

describe("values", () => {
  it.each(values)("%s in CSV", async (sql, csv) => {
    expect(await printed(`select ${sql} as x, 1 as y`, "csv")).toBe(`x,y\n${csv},1\n`)
  })

  it("a null alone in its row in CSV, where many readers skip empty lines", async () => {
    const lines = (await printed("select unnest([1, null, 3]) as x", "csv")).split("\n")
    expect(lines.filter((line) => line !== "")).toEqual(["x", "1", '""', "3"])
    expect(await printed("select null as x", "csv", {}, true)).toBe('x\n""\n')
  })

  it.each(values)("%s in JSON and NDJSON", async (sql, _csv, json) => {
    const line = `{"x":${json},"y":1}`
    expect(await printed(`select ${sql} as x, 1 as y`, "ndjson")).toBe(`${line}\n`)
    expect(await printed(`select ${sql} as x, 1 as y`, "json")).toBe(`[\n  ${line}\n]\n`)
    expect(() => JSON.parse(line) as unknown).not.toThrow()
  })

  it.each(values)("%s is one line of Markdown", async (sql) => {
    const lines = (await printed(`select ${sql} as x, 'a|b\\' as y`, "markdown")).split("\n")
    expect(lines).toHaveLength(4)
    expect(lines[2]).toMatch(/^\| .*\| a\\\|b\\\\ \|$/)
  })
})

describe("--csv-safe", () => {
  it.each(["=1+1", "+1", "-cmd", "@sum", "\tx"])("puts ' before the text %j", async (text) => {
    const given = { p: text }
    expect(await printed("select $p as x", "csv", given, true)).toBe(`x\n'${text}\n`)
    expect(await printed("select $p as x", "csv", given)).toBe(`x\n${text}\n`)
  })

  it.each([
    ["Harbor;=1+1;", "Harbor;'=1+1;"],
    ["a\t+1\t@x", "a\t'+1\t'@x"],
    ["=1;-2", "'=1;'-2"],
    // A spreadsheet that separates by ; takes these quotes away.
    [`a;"=1+1;"`, `"a;'""=1+1;"""`],
    ["a\n-x\r=1", `"a\n'-x\r'=1"`],
    ["a,-b; c=d", `"a,-b; c=d"`],
    // Spreadsheets of East Asia take wide signs for the others.
    ["＝1", "'＝1"],
    ["a;＠b", "a;'＠b"],
  ])("puts ' before what begins a cell inside the text %j", async (text, csv) => {
    expect(await printed("select $p as x", "csv", { p: text }, true)).toBe(`x\n${csv}\n`)
  })

  it("puts ' before what begins a cell inside a list, a struct or JSON", async () => {
    const sql = `select ['a;=1', 'b'] as x, {'a': 'b;@c', 'n': -1} as y, '{"a": ";=1", "n": [1,-2]}'::json as z`
    expect(await printed(sql, "csv", {}, true)).toBe(
      `x,y,z\n"[""a;'=1"",""b""]","{""a"":""b;'@c"",""n"":-1}","{""a"": "";'=1"", ""n"": [1,-2]}"\n`,
    )
  })

  it("leaves negative numbers of each type", async () => {
    const sql =
      "select -1 as i, -9007199254740993 as b, -1.50::decimal(5, 2) as d, -1e-7::double as f, '-1-1' as t"
    expect(await printed(sql, "csv", {}, true)).toBe(
      "i,b,d,f,t\n-1,-9007199254740993,-1.50,-1e-7,'-1-1\n",
    )
  })

  it("leaves numbers, and guards headings too", async () => {
    expect(await printed(`select -1.5::double as "=a", 'a=b' as b`, "csv", {}, true)).toBe(
      `'=a,b\n-1.5,a=b\n`,
    )
  })
})

describe("--param", () => {
  const typed: ReadonlyArray<readonly [typed: string, type: string, value: string]> = [
    ["5", "INTEGER", "5"],
    ["-2.5", "DOUBLE", "-2.5"],
    ["1e3", "INTEGER", "1000"],
    ["true", "BOOLEAN", "true"],
    ["2026-05-01", "DATE", "2026-05-01"],
    ["2026-05-01T03:00", "TIMESTAMP", "2026-05-01T03:00:00.000Z"],
    ["2026-05-01 05:00:00+02:00", "TIMESTAMP", "2026-05-01T03:00:00.000Z"],
    ["2026-02-30", "VARCHAR", "2026-02-30"],
    ["007", "VARCHAR", "007"],
    ["'5'", "VARCHAR", "5"],
    ["0xabc", "VARCHAR", "0xabc"],
    ["1.", "INTEGER", "1"],
    ["-.5e1", "INTEGER", "-5"],
    ["1.5x", "VARCHAR", "1.5x"],
    // A double would round it.
    ["9007199254740993", "VARCHAR", "9007199254740993"],
  ]
  it.each(typed)("%s is %s", async (given, type, value) => {
    const output = await printed("select typeof($p) as t, $p as v", "csv", { p: typedValue(given) })
    expect(output).toBe(`t,v\n${type},${value}\n`)
  })

  it("many digits and a letter are text, which is seen at once", () => {
    const text = `${"1".repeat(200_000)}x`
    expect(typedValue(text)).toBe(text)
  })

  it("null is none", () => expect(typedValue("null")).toBeNull())

  it("is a value of its type in the SQL", async () => {
    const given = Object.entries({ day: "2026-01-31", n: "2", text: "it's a=b, c" })
    const parameters = Object.fromEntries(given.map(([name, text]) => [name, typedValue(text)]))
    const output = await printed("select $day + 1 as d, $n * 2 as n, $text as t", "csv", parameters)
    expect(output).toBe(`d,n,t\n2026-02-01,4,"it's a=b, c"\n`)
  })
})
