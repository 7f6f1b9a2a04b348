// SQL that is meant to end the server, fill it, hold it up, or see and leave what it must not.
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { get, queryUrl, startServer } from "../serve/support.ts"
import { smallWarehouse } from "./small.ts"

const small = smallWarehouse()

const limits = { seconds: 60, rows: 100_000 }
// For what never ends by itself.
const brief = { seconds: 2, rows: 100_000 }

const works = (url: string) =>
  Effect.map(get(queryUrl(url, "select 'it' || ' works' as x")), ({ body }) => {
    expect(body).toContain("it works")
  })

const leftBehind = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("vaulthouse-reader-"))

describe("a query", () => {
  it.live("changes and sees nothing of others, of the settings and of this machine", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { limits })
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
      ]
      for (const sql of refused) {
        for (const format of ["json", "csv", "parquet"]) {
          const { status, body } = yield* get(queryUrl(url, sql, format))
          expect(`${sql} ${status} ${body}`).toContain(`${sql} 400 A query can't use `)
        }
        yield* works(url)
      }
      const exported = yield* get(queryUrl(url, "EXPORT DATABASE '/tmp/vaulthouse-exported'"))
      expect(exported.status).toBe(400)
      expect(readdirSync(tmpdir())).not.toContain("vaulthouse-exported")
    }).pipe(Effect.scoped),
  )

  it.live("that ends DuckDB costs itself, in one sentence", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { limits })
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
      const url = yield* startServer(yield* small, { limits: { seconds: 60, rows: 100_000 } })
      const before = process.memoryUsage.rss()
      const nested = "SELECT [a,a] AS b FROM (SELECT repeat('x',40000)||range a FROM range(99999))"
      const cut = yield* get(queryUrl(url, nested))
      expect(cut.body.length).toBeLessThan(40_000_000)
      expect(cut.body).toContain('"cut_by":"size"')
      const one = yield* get(queryUrl(url, "SELECT repeat('x',300000000)"))
      expect([one.status, one.body]).toEqual([
        400,
        expect.stringMatching(/first row is larger than 32 MB|Out of Memory/),
      ])
      const many = yield* get(
        queryUrl(url, "SELECT repeat('x', 100000000) || range FROM range(2048)"),
      )
      expect(many.status).toBe(400)
      expect(process.memoryUsage.rss() - before).toBeLessThan(500_000_000)
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live("that can't be interrupted ends at its time, and four of them keep no page waiting", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { limits: brief })
      yield* get(url)
      const hang = queryUrl(url, "SELECT levenshtein(repeat('a',1000000),repeat('b',1000000))")
      const hanging = yield* Effect.forkChild(
        Effect.all([get(hang), get(hang), get(hang), get(hang)], { concurrency: "unbounded" }),
      )
      yield* Effect.sleep("500 millis")
      const pages: Array<number> = []
      while (hanging.pollUnsafe() === undefined) {
        const began = performance.now()
        expect((yield* get(`${url}/sql`)).status).toBe(200)
        pages.push(performance.now() - began)
        yield* Effect.sleep("50 millis")
      }
      const replies = yield* Fiber.join(hanging)
      for (const { status, body } of replies) {
        expect([status, body]).toEqual([400, expect.stringContaining("stopped after 2 s")])
      }
      expect(pages.length).toBeGreaterThan(3)
      // Far more than it takes, and far less than a query that hangs.
      expect(Math.min(...pages)).toBeLessThan(1000)
      yield* works(url)
    }).pipe(Effect.scoped),
  )

  it.live("writes a limited amount to disk, and leaves nothing there", () =>
    Effect.gen(function* () {
      const before = leftBehind().length
      yield* Effect.scoped(
        Effect.gen(function* () {
          const url = yield* startServer(yield* small, {
            limits: { seconds: 60, rows: 100_000_000 },
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
      expect(leftBehind().length).toBeLessThanOrEqual(before)
    }),
  )

  it.live("with a comment after its semicolon works in every format", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { limits })
      for (const format of ["json", "csv", "parquet"]) {
        expect((yield* get(queryUrl(url, "SELECT 1; -- c", format))).status).toBe(200)
      }
    }).pipe(Effect.scoped),
  )
})
