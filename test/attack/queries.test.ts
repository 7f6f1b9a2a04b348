// SQL that is meant to end the server, fill it, hold it up, or see and leave what it must not.
import { readdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openReader, type Reader } from "../../src/pipelines/readers/published.ts"
import { vaulthouse } from "../cli/command.ts"
import { get, queryUrl, smallWarehouse, startServer } from "../serve/support.ts"
import { shared } from "../support/sharedWarehouse.ts"
import { readerFolders } from "../support/readerFolders.ts"
import { untilSo } from "../support/until.ts"

const small = smallWarehouse()

const limits = { seconds: 300, rows: 100_000 }
const server = shared(
  Effect.flatMap(small, (dataDir) =>
    Effect.map(startServer(dataDir, { limits }), (url) => ({ dataDir, url })),
  ),
)
// For what never ends by itself.
const brief = { seconds: 10, rows: 100_000 }

// Hours, without a moment at which DuckDB would notice an interrupt.
const hanging = "SELECT levenshtein(repeat('a',1000000),repeat('b',1000000))"

const works = (url: string) =>
  Effect.map(get(queryUrl(url, "select 'it' || ' works' as x")), ({ body }) => {
    expect(body).toContain("it works")
  })

describe("a query", () => {
  it.live("changes and sees nothing of others, of the settings and of this machine", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const refused = [
        "SELECT * FROM enable_logging(storage='file', storage_path='/nope', storage_buffer_size=1)",
        "SELECT * FROM enable_logging(storage='stdout')",
        "SELECT * FROM duckdb_logs()",
        "FROM duckdb_logs",
        "SELECT * FROM enable_profiling(save_location='/tmp/x')",
        "SELECT setseed(0.5)",
        "SELECT current_setting('allowed_directories')",
        "FROM duckdb_settings()",
        "FROM pg_catalog.pg_settings",
        "SELECT * FROM glob('/tmp/*')",
        "FROM duckdb_databases()",
        "FROM query('select 1')",
        "SELECT write_log('x')",
        "SELECT * FROM checkpoint()",
        "FROM histogram('pg_settings', name)",
        "FROM histogram_values('pg_settings', name)",
        "SELECT current_query()",
        // DuckDB's comments nest, and end at a carriage return too.
        "-- x\rSELECT name FROM duckdb_settings() WHERE '' <> '\nexplain select 1 --'",
      ]
      for (const sql of refused) {
        for (const format of ["json", "csv", "parquet"]) {
          const { status, body } = yield* get(queryUrl(url, sql, format))
          expect(`${sql} ${status} ${body}`).toContain(`${sql} 400 A query can't use `)
        }
        yield* works(url)
      }
      const nested = "/* /* */ explain select 1 -- */ SELECT name FROM duckdb_settings()"
      expect((yield* get(queryUrl(url, nested))).body).not.toContain("memory_limit")
    }).pipe(Effect.scoped),
  )

  it.live("reaches no file, address, secret or environment, and runs no text as SQL", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* server
      for (const sql of [
        "FROM '/etc/passwd'",
        "FROM '/proc/self/environ.csv'",
        "FROM 'x.csv'",
        "FROM '/tmp/*.parquet'",
        "FROM 'https://127.0.0.1:1/x.parquet'",
        "FROM 's3://bucket/x.parquet'",
        `FROM '${dataDir}/vaulthouse.duckdb'`,
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv($1)",
        "WITH a AS (SELECT * FROM read_blob('/etc/passwd')) FROM a",
        "WITH a AS (COPY (SELECT 1) TO '/tmp/vaulthouse-attack.csv') FROM a",
        "WITH a AS MATERIALIZED (INSERT INTO core.vaults DEFAULT VALUES RETURNING *) FROM a",
        "SELECT getenv('HOME')",
        "SELECT * FROM which_secret('s3://x', 's3')",
        "FROM duckdb_secrets()",
        "FROM query_table('pg_settings')",
        "FROM query_table(['duckdb_settings'])",
        "FROM histogram(pg_settings, name)",
        "SELECT * FROM json_execute_serialized_sql('{}')",
        "SELECT list_transform(['memory_limit'], lambda x: current_setting(x))",
        "SELECT * FROM sql_auto_complete('SEL')",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "ATTACH '/tmp/vaulthouse-attack.duckdb'",
        "LOAD httpfs",
        "SELECT * FROM core.vaults AT (VERSION => 1)",
      ]) {
        const { status, body } = yield* get(queryUrl(url, sql))
        expect([sql, status]).toEqual([sql, 400])
        expect(body).not.toMatch(/root:|memory_limit|\/bin\/|vaulthouse-reader-/)
      }
      expect(readdirSync("/tmp").filter((name) => name.startsWith("vaulthouse-attack"))).toEqual([])
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live("that ends DuckDB costs itself, in one sentence", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const crash = "SELECT json_structure(repeat('[',1000000)||repeat(']',1000000)) IS NULL"
      for (const format of ["json", "parquet"]) {
        const { status, body } = yield* get(queryUrl(url, crash, format))
        expect([status, body]).toEqual([
          400,
          expect.stringMatching(/^DuckDB ended while it ran this query/),
        ])
        yield* works(url)
      }
    }).pipe(Effect.scoped),
  )

  it.live("with large values is cut, whatever they are nested in, and the server stays small", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const before = process.memoryUsage.rss()
      const nested = (length: number) =>
        `SELECT [a,a] AS b FROM (SELECT repeat('x',${length})||range a FROM range(99999))`
      const cut = yield* get(queryUrl(url, nested(4000)))
      expect(cut.body.length).toBeLessThan(40_000_000)
      expect(cut.body).toContain('"cut_by":"size"')
      // DuckDB needs some GB for the first rows, which it may not have.
      const long = yield* get(queryUrl(url, nested(40_000)))
      expect(long.body.length).toBeLessThan(40_000_000)
      expect(long.body).toMatch(
        /"cut_by":"size"|^DuckDB ended while it ran this query|Out of Memory|was stopped after/,
      )
      const one = yield* get(queryUrl(url, "SELECT repeat('x',300000000)"))
      expect([one.status, one.body]).toEqual([
        400,
        expect.stringMatching(/first row is larger than 32 MB|Out of Memory|was stopped after/),
      ])
      const many = yield* get(
        queryUrl(url, "SELECT repeat('x', 100000000) || range FROM range(2048)"),
      )
      expect(many.status).toBe(400)
      expect(process.memoryUsage.rss() - before).toBeLessThan(500_000_000)
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live.each([
    [
      "large cells",
      `select ${"x, ".repeat(389)}x from (select repeat('"', 400) x from range(100))`,
    ],
    ["many columns", `select ${"a, ".repeat(1799)}a from range(100) t(a)`],
  ])("with %s makes a page of a few megabytes", ([, sql = ""]) =>
    Effect.gen(function* () {
      const { url } = yield* server
      const page = yield* get(`${url}/sql?${new URLSearchParams({ q: sql }).toString()}`)
      expect(page.status).toBe(200)
      expect(page.body).toContain("100 rows")
      expect(page.body.length).toBeLessThan(8_000_000)
      expect(page.body.match(/<t[dh] /g)?.length ?? 0).toBeLessThan(15_000)
    }).pipe(Effect.scoped),
  )

  it.live("that can't be interrupted ends at its time", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { limits: brief })
      const replies = yield* Effect.all(
        Array.from({ length: 4 }, () => get(queryUrl(url, hanging))),
        { concurrency: "unbounded" },
      )
      for (const { status, body } of replies) {
        expect([status, body]).toEqual([400, expect.stringContaining("stopped after 10 s")])
      }
      // Its time starts before the process that takes the place of the killed one.
      yield* untilSo("a new process answers", () =>
        Effect.runPromise(get(queryUrl(url, "select 'it' || ' works' as x"))).then(({ body }) =>
          body.includes("it works"),
        ),
      )
    }).pipe(Effect.scoped),
  )

  it.live("keeps no page waiting: pages are answered while four of them hang", () =>
    Effect.gen(function* () {
      const dataDir = yield* small
      const folders = yield* readerFolders
      // None of them ends by itself.
      const url = yield* startServer(dataDir, { limits: { seconds: 3600, rows: 1 } })
      yield* get(url)
      const before = folders().length
      const leave = new AbortController()
      const four = Array.from({ length: 4 }, () =>
        fetch(queryUrl(url, hanging), { signal: leave.signal }).then(
          () => "ended",
          () => "left",
        ),
      )
      yield* untilSo("two queries run, and two wait", () => folders().length >= before + 2)
      for (let turn = 0; turn < 10; turn++) {
        for (const path of ["/", "/sql", "/data", "/api/publication"]) {
          expect((yield* get(url + path)).status).toBe(200)
        }
      }
      const first = Promise.race([...four, Promise.resolve("all hang")])
      expect(yield* Effect.promise(() => first)).toBe("all hang")
      leave.abort()
      expect(yield* Effect.promise(() => Promise.all(four))).toEqual(four.map(() => "left"))
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live("writes a limited amount to disk, and leaves nothing there", () =>
    Effect.gen(function* () {
      const dataDir = yield* small
      const folders = yield* readerFolders
      yield* Effect.scoped(
        Effect.gen(function* () {
          const url = yield* startServer(dataDir, {
            limits: { seconds: 300, rows: 100_000_000 },
            memoryLimit: "100MB",
            diskLimit: "20MB",
          })
          for (const [sql, format] of [
            ["from range(30000000) r(i) order by hash(i), i::varchar", "json"],
            ["select uuid() from range(10000000)", "parquet"],
          ] as const) {
            const { status, body } = yield* get(queryUrl(url, sql, format))
            expect([status, body]).toEqual([
              400,
              expect.stringMatching(/limit|too large|Out of Memory/i),
            ])
            expect(body).not.toContain(tmpdir())
            yield* works(url)
          }
        }),
      )
      expect(folders()).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.live("that meets an error inside DuckDB shows nothing of this machine, and costs itself", () =>
    Effect.gen(function* () {
      const { dataDir, url } = yield* server
      const sql = "SELECT reservoir_quantile(range, NULL::DOUBLE[]) FROM range(3)"
      const cli = yield* Effect.promise(() =>
        vaulthouse(["query", sql, "--data-dir", dataDir], { cwd: dataDir }),
      )
      expect(cli.code).toBe(1)
      const page = yield* get(`${url}/sql?q=${encodeURIComponent(sql)}`)
      const replies = [cli.stderr, page.body]
      for (const format of ["json", "csv", "parquet"]) {
        replies.push((yield* get(queryUrl(url, sql, format))).body)
      }
      for (const reply of replies) {
        // Another statement must take its place once DuckDB has mended this one.
        expect(reply).toContain("INTERNAL Error")
        expect(reply).not.toMatch(/Stack Trace|node_modules|libduckdb|\.so\b|0x[0-9a-f]{6}/)
        expect(reply).not.toContain(process.cwd())
        expect(reply).not.toContain(tmpdir())
      }
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live("leaves nothing in its folder, which no other reader and no other user sees", () =>
    Effect.gen(function* () {
      const dataDir = yield* small
      const folders = yield* readerFolders
      const reader = yield* openReader(dataDir, { memoryLimit: "300MB", diskLimit: "100MB" })
      const other = yield* openReader(dataDir, { memoryLimit: "300MB", diskLimit: "100MB" })
      yield* Effect.all([reader.open, other.open])
      const inside = () => folders().flatMap((folder) => readdirSync(folder))
      const refusal = (by: Reader, sql: string) =>
        by.rows(sql).pipe(
          Effect.flip,
          Effect.map(({ message }) => message),
        )
      for (const folder of folders()) {
        expect((statSync(folder).mode & 0o777).toString(8)).toBe("700")
        for (const into of [folder, `${folder}/made`, `${folder}/spill/made`]) {
          for (const sql of [
            `EXPORT DATABASE '${into}'`,
            `COPY (SELECT 1) TO '${into}/x.csv'`,
            `ATTACH '${into}/x.duckdb'`,
          ]) {
            expect(yield* refusal(reader, sql)).toContain("read-only")
          }
        }
      }
      expect(inside()).toEqual(["spill", "spill"])
      const seen = yield* reader.exportParquet("select 'mine' as x", 10, async (file) => {
        expect((statSync(dirname(file)).mode & 0o777).toString(8)).toBe("700")
        return Effect.runPromise(refusal(other, `FROM '${file}'`))
      })
      expect(seen).toContain("Cannot access file")
      expect(inside()).toEqual(["spill", "spill"])
    }).pipe(Effect.scoped),
  )

  it.live("with a comment after its semicolon works in every format", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      for (const format of ["json", "csv", "parquet"]) {
        expect((yield* get(queryUrl(url, "SELECT 1; -- c", format))).status).toBe(200)
      }
    }).pipe(Effect.scoped),
  )
})
