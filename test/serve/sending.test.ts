// Results that are made and sent: how many are in memory, for how long, and that others have their turn meanwhile.
import { readdirSync, readlinkSync } from "node:fs"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Hono } from "hono"
import type { LatestCopy } from "../../src/pipelines/readers/latestCopy.ts"
import { queryResponse } from "../../src/serve/api/query.ts"
import { listen } from "../../src/serve/listen.ts"
import { untilSo } from "../support/until.ts"
import { get, queryUrl, smallWarehouse, startServer } from "./support.ts"

const small = smallWarehouse()

/** A client that requests the addresses, one after the other on one connection, and reads nothing. */
const unreading = (...addresses: ReadonlyArray<string>): Socket => {
  const { port, host } = new URL(addresses[0] ?? "")
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined)
  socket.pause()
  for (const address of addresses) {
    const { pathname, search } = new URL(address)
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  }
  return socket
}

/** The files of results that this process has open. */
const openExports = (): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes("export.parquet")
    } catch {
      return false
    }
  })

describe("an address", () => {
  it.live("has at most 32 kB, and a longer one is refused in words", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const of = (length: number) => `select '${"x".repeat(length - url.length - 40)}' as x`
      for (const path of ["/sql?q=", "/api/query?q="]) {
        const reply = (length: number) => get(`${url}${path}${encodeURIComponent(of(length))}`)
        expect((yield* reply(31_900)).body).toContain("xxxxx")
        for (const length of [33_000, 60_000]) {
          const { status, body } = yield* reply(length)
          expect([status, body]).toEqual([414, expect.stringContaining("at most 32 kB")])
        }
      }
    }).pipe(Effect.scoped),
  )
})

describe("results", () => {
  it.live("are in memory up to a number, until they are read or their clients leave", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const large = queryUrl(url, "select repeat('x', 10000) from range(1000)", "csv")
      const clients = [
        unreading(large, large, large, large),
        ...Array.from({ length: 12 }, () => unreading(large)),
      ]
      const shortly = () => Effect.runPromise(get(queryUrl(url, "select 1")))
      const refused = yield* untilSo("16 are held", () =>
        shortly().then((reply) => (reply.status === 200 ? undefined : reply)),
      )
      expect([refused.status, refused.headers["retry-after"], refused.body]).toEqual([
        503,
        "5",
        expect.stringContaining("The server is busy: 16 queries"),
      ])
      expect((yield* get(`${url}/sql`)).status).toBe(503)
      expect((yield* get(url)).status).toBe(200)
      for (const client of clients) client.destroy()
      yield* untilSo("they are given up", () => shortly().then(({ status }) => status === 200))
    }).pipe(Effect.scoped),
  )

  it.live.skipIf(process.platform !== "linux")(
    "that only their head is asked for of leave no file open",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* small)
        // More than is read ahead of a client.
        const large =
          "select string_agg(md5(i::varchar), '') from range(100000) t(i) group by i % 500"
        const file = queryUrl(url, large, "parquet")
        for (let at = 0; at < 3; at++) {
          const { status, headers } = yield* get(file, {}, { method: "HEAD" })
          expect([status, headers["content-disposition"]]).toEqual([
            200,
            'attachment; filename="result.parquet"',
          ])
        }
        yield* untilSo("they are closed", () => openExports().length === 0)
        expect((yield* get(`${url}/`, {}, { method: "HEAD" })).status).toBe(200)
      }).pipe(Effect.scoped),
  )

  it.live("that nobody reads end with their connection, those that take long to make do not", () =>
    Effect.gen(function* () {
      const app = new Hono()
      const millis = 200
      app.get("/large", (c) => c.body("x".repeat(64_000_000)))
      app.get("/slow", async (c) => {
        await setTimeout(millis * 10)
        return c.text("made")
      })
      const url = yield* listen(app, "127.0.0.1", 0, millis)
      const client = unreading(`${url}/large`)
      let isReset = false
      client.on("close", () => (isReset = true))
      // What was sent before is read, and then the connection has ended early.
      let received = 0
      client.on("data", (data) => (received += data.length)).pause()
      expect((yield* get(`${url}/slow`)).body).toBe("made")
      client.resume()
      yield* untilSo("it has ended", () => isReset)
      expect(received).toBeLessThan(64_000_000)
    }).pipe(Effect.scoped),
  )

  it.live("are written a part at a time, and others have their turn between the parts", () =>
    Effect.gen(function* () {
      const row = ["x".repeat(1000)]
      const rows = [Array.from({ length: 20_000 }, () => row)]
      const columns = [{ name: "x", type: "VARCHAR" }]
      const publication = { runId: "run", publishedAt: "", file: "" }
      const reader = {
        query: (_sql: string, _values: object, use: (result: object) => unknown) =>
          Effect.promise(async () => use({ columns, rows, isCut: () => false })),
      }
      const latest = {
        query: (use: (...given: ReadonlyArray<unknown>) => unknown) => use(reader, publication),
      } as unknown as LatestCopy
      let turns = 0
      let isDone = false
      const count = (): void => {
        turns++
        if (!isDone) setImmediate(count)
      }
      setImmediate(count)
      const context = { latest, limits: { seconds: 60, rows: 100_000 } }
      const response = yield* queryResponse(context, { q: "select x" })
      isDone = true
      expect((yield* Effect.promise(() => response.text())).length).toBeGreaterThan(20_000_000)
      expect(turns).toBeGreaterThan(15)
    }),
  )
})

describe("calls of assistants", () => {
  it.live("whose body does not come keep nobody waiting", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const { port, host } = new URL(url)
      const head = [
        "POST /api/mcp HTTP/1.1",
        `Host: ${host}`,
        "Content-Type: application/json",
        "Content-Length: 1000",
        "Expect: 100-continue",
      ].join("\r\n")
      const sockets = Array.from({ length: 16 }, () => connect(Number(port), "127.0.0.1"))
      for (const socket of sockets) socket.write(`${head}\r\n\r\n`)
      // The server says so when it has begun with the request.
      for (const socket of sockets) {
        const [said] = yield* Effect.promise(() => once(socket, "data"))
        expect(String(said)).toContain("100 Continue")
      }
      expect((yield* get(queryUrl(url, "select 1"))).status).toBe(200)
      for (const socket of sockets) socket.destroy()
    }).pipe(Effect.scoped),
  )
})

describe("past states", () => {
  it.live("are made up to a number at a time, as results are, and a page says so", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const before = new Date(Date.now() - 1).toISOString().slice(0, -1)
      const leave = new AbortController()
      const pages = Array.from({ length: 40 }, (_, at) =>
        fetch(`${url}/?as-of=${before}${String(at).padStart(3, "0")}Z`, { signal: leave.signal }),
      )
      const others = Promise.allSettled(pages)
      // Those that are made take seconds; they end when their readers leave.
      const refused = yield* Effect.promise(() =>
        Promise.any(
          pages.map((page) =>
            page.then((reply) => (reply.ok ? Promise.reject(new Error("made")) : reply)),
          ),
        ),
      )
      expect(refused.status).toBe(503)
      expect(refused.headers.get("content-type")).toMatch("text/html")
      expect(yield* Effect.promise(() => refused.text())).toMatch(
        /class="error"[^>]*>The server is busy: 16 /,
      )
      expect((yield* get(url)).status).toBe(200)
      leave.abort()
      yield* Effect.promise(() => others)
      yield* untilSo("a query runs", () =>
        Effect.runPromise(get(queryUrl(url, "select 1"))).then(({ status }) => status === 200),
      )
    }).pipe(Effect.scoped),
  )
})
