// One query, by each way that leads to its result: the command, the page, the API as JSON, CSV and Parquet, and MCP.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { csvLine } from "../../src/pipelines/readers/query/resultText.ts"
import { vaulthouse } from "../cli/command.ts"
import { shared, sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { queryFile, runOnce } from "../support/warehouseRun.ts"
import { get, queryUrl, startServer } from "./support.ts"

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const { url } = yield* simulated({ vaults: 1, days: 1, now: "2026-06-01T12:00:00Z" })
    yield* runOnce(url, dataDir, { api: asAdmin, publish: { parquet: undefined } })
  }),
)

const server = shared(
  Effect.flatMap(synced, (dataDir) =>
    Effect.map(startServer(dataDir), (url) => ({ dataDir, url })),
  ),
)

/** What the command prints. */
const fromCommand = (dataDir: string, sql: string, ...options: ReadonlyArray<string>) =>
  Effect.map(
    Effect.promise(() =>
      vaulthouse(["query", sql, "--data-dir", dataDir, ...options], { cwd: dataDir }),
    ),
    ({ stdout }) => stdout,
  )

interface Result {
  readonly columns: ReadonlyArray<{ readonly name: string }>
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** What the tool `query` of MCP returns: rows are lists. */
const fromMcp = (url: string, sql: string, parameters: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    }
    const post = (method: string, params: unknown, session: Record<string, string> = {}) =>
      get(
        `${url}/api/mcp`,
        { ...headers, ...session },
        { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) },
      )
    const hello = yield* post("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    })
    const { body } = yield* post(
      "tools/call",
      { name: "query", arguments: { sql, parameters } },
      { "mcp-session-id": String(hello.headers["mcp-session-id"]) },
    )
    const { result } = JSON.parse(body) as {
      result: {
        structuredContent: {
          columns: Result["columns"]
          rows: ReadonlyArray<ReadonlyArray<unknown>>
        }
      }
    }
    const { columns, rows } = result.structuredContent
    const names = columns.map(({ name }) => name)
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
  })

/** The first row of the download. */
const fromParquet = (dataDir: string, url: string, sql: string) =>
  Effect.gen(function* () {
    const response = yield* Effect.promise(() => fetch(queryUrl(url, sql, "parquet")))
    const file = join(dataDir, "result.parquet")
    writeFileSync(file, new Uint8Array(yield* Effect.promise(() => response.arrayBuffer())))
    const [row = {}] = yield* queryFile(join(dataDir, "vaulthouse.duckdb"), `from '${file}'`)
    return row
  })

describe("a query has one result", () => {
  it.live("by command, API and MCP, with each of its values", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* server
      const sql = `select 1 a, 2 a, 3 "a:1", row(1, 2) r, {'__proto__': 1, 'b': 2} s, 'infinity'::date d,
        timestamp '9999-12-31 23:59:59.999999' t, '\\x5C'::blob b`
      const line = String.raw`{"a":1,"a:2":2,"a:1":3,"r":[1,2],"s":{"__proto__":1,"b":2},"d":"infinity","t":"9999-12-31T23:59:59.999999Z","b":"\\x5C"}`
      const csv = String.raw`a,a:2,a:1,r,s,d,t,b
1,2,3,"[1,2]","{""__proto__"":1,""b"":2}",infinity,9999-12-31T23:59:59.999999Z,\x5C
`
      expect(yield* fromCommand(dataDir, sql, "--format", "ndjson")).toBe(`${line}\n`)
      expect((yield* get(queryUrl(url, sql))).body).toContain(`"rows":[${line}]`)
      expect(yield* fromCommand(dataDir, sql, "--format", "csv")).toBe(csv)
      expect((yield* get(queryUrl(url, sql, "csv"))).body).toBe(csv)
      expect(JSON.stringify(yield* fromMcp(url, sql))).toBe(`[${line}]`)
    }).pipe(Effect.scoped),
  )

  it.live("as Parquet with each digit that CSV has", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* server
      const sql = `select sum(x::hugeint) s, '340282366920938463463374607431768211455'::uhugeint u, 7 n,
          interval '1 day 12 hours 30 minutes 1.234567 seconds' i, interval '-1 day' "before",
          {'a': sum(x::hugeint), 'of "a"': [{'INTERVAL': interval '-1 month'}]} r,
          map {sum(x::hugeint): interval '3 hours'} m, sum(x::hugeint) s
        from (values ('123456789012345678901234'), ('1')) v(x)`
      const row = yield* fromParquet(dataDir, url, sql)
      const { body } = yield* get(queryUrl(url, sql, "csv"))
      expect(csvLine(Object.values(row), false)).toBe(body.split("\n")[1])
      expect(row).toMatchObject({ s: "123456789012345678901235", n: 7, before: "-1 day" })
      // In Parquet, fields have names.
      expect(yield* fromParquet(dataDir, url, "select row(1, 2::hugeint) r")).toEqual({
        r: { _0: 1, _1: "2" },
      })
      expect((yield* get(queryUrl(url, "select $a", "parquet"))).body).toMatch(/parameter/)
    }).pipe(Effect.scoped),
  )

  it.live("as valid JSON, whatever DuckDB takes for JSON", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const sql = `select json_array('nan'::double) x, to_json('inf'::double) y, '{"b":[1,]}'::json z`
      const { rows } = JSON.parse((yield* get(queryUrl(url, sql))).body) as Result
      const values = { x: "[NaN]", y: "Infinity", z: '{"b":[1,]}' }
      expect(rows).toEqual([values])
      expect(yield* fromMcp(url, sql)).toEqual([values])
    }).pipe(Effect.scoped),
  )

  it.live("by command, page and MCP, with a negative parameter", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* server
      for (const [n, value, x] of [
        ["$n", "-5", 15],
        ["$n", "-2.5", 12.5],
        ["getvariable('n')", "-5", 15],
      ] as const) {
        const sql = `select 10-${n} as x, 2 as y`
        const options = ["--format", "ndjson", "--param", `n=${value}`]
        expect(yield* fromCommand(dataDir, sql, ...options)).toBe(`{"x":${x},"y":2}\n`)
        const address = new URLSearchParams({ q: sql, "p.n": value }).toString()
        const { body } = yield* get(`${url}/sql?${address}`)
        expect(body).toContain(`>${x}</th>`)
        expect(body).toContain(">2</td>")
        expect(yield* fromMcp(url, sql, { n: value })).toEqual([{ x, y: 2 }])
      }
    }).pipe(Effect.scoped),
  )
})
