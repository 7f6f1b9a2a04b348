// Requests that a page of another site, or somebody without the token, sends to the web page.
import { request } from "node:http"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { WRONG_TOKEN_MILLIS } from "../../src/serve/access.ts"
import { get, queryUrl, type Reply, smallWarehouse, startServer, token } from "../serve/support.ts"

const small = smallWarehouse()

type Headers = Readonly<Record<string, string>>

const from = (site: string, mode: string, dest: string, user = false): Headers => ({
  "sec-fetch-site": site,
  "sec-fetch-mode": mode,
  "sec-fetch-dest": dest,
  ...(user ? { "sec-fetch-user": "?1" } : {}),
})

describe("a page of another site", () => {
  it.live("can make no query run, and no page open but by a click in a window of its own", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const sql = `${url}/sql?q=${encodeURIComponent("select 'it' || ' ran'")}`
      const api = queryUrl(url, "select 'it' || ' ran'")
      for (const site of ["cross-site", "same-site"]) {
        for (const headers of [
          from(site, "navigate", "iframe"),
          from(site, "navigate", "iframe", true),
          from(site, "navigate", "document"),
          from(site, "navigate", "object", true),
          from(site, "navigate", "embed", true),
          from(site, "no-cors", "image"),
          from(site, "no-cors", "script", true),
          from(site, "cors", "empty"),
          from(site, "websocket", "websocket"),
          from(site, "nested-navigate", "document", true),
          { "sec-fetch-site": site },
        ]) {
          for (const address of [url, sql, api, `${url}/api/publication`]) {
            const { status, body } = yield* get(address, headers)
            expect([status, address, body]).toEqual([
              403,
              address,
              expect.stringContaining("A page of another site sent this request"),
            ])
          }
        }
        const click = from(site, "navigate", "document", true)
        expect((yield* get(url, click)).status).toBe(200)
        const shown = yield* get(sql, click)
        expect(shown).toMatchObject({
          status: 200,
          body: expect.stringContaining("it&#39; || &#39; ran"),
        })
        expect(shown.body).toContain("Read it before you run it")
        expect(shown.body).not.toContain("it ran")
        expect((yield* get(api, click)).status).toBe(403)
        expect((yield* get(url, click, { method: "POST" })).status).toBe(403)
      }
      for (const headers of [
        {},
        from("none", "navigate", "document", true),
        from("same-origin", "navigate", "document"),
        from("same-origin", "cors", "empty"),
      ]) {
        expect((yield* get(sql, headers)).body).toContain("it ran")
        expect((yield* get(api, headers)).body).toContain("it ran")
      }
      for (const origin of ["http://evil.example", "null", url.replace("127.0.0.1", "localhost")]) {
        expect((yield* get(api, { origin })).status).toBe(403)
      }
    }).pipe(Effect.scoped),
  )
})

describe("the address for assistants", () => {
  it.live(
    "takes nothing without the token, of other sites, by other names, or that a form can send",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* small, { withToken: true })
        const call = JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "attack", version: "1" },
          },
        })
        const given = {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        }
        const send = (headers: Headers, body = call) =>
          Effect.map(
            get(`${url}/api/mcp`, headers, { method: "POST", body }),
            ({ status, body: reply }) => [status, reply.includes("protocolVersion")] as const,
          )
        expect(yield* send(given)).toEqual([200, true])
        const { authorization: _, ...without } = given
        for (const [status, headers, body] of [
          [401, without],
          [401, { ...given, authorization: "Bearer wrong" }],
          [401, { ...without, authorization: `Basic ${token}` }],
          [421, { ...given, host: "evil.example" }],
          [421, { ...without, host: "evil.example" }],
          [403, { ...given, origin: "http://evil.example" }],
          [403, { ...given, origin: "null" }],
          [403, { ...given, ...from("cross-site", "cors", "empty") }],
          [403, { ...given, ...from("same-site", "no-cors", "empty") }],
          [415, { ...given, "content-type": "text/plain" }],
          [415, { ...given, "content-type": "application/x-www-form-urlencoded" }],
          [413, given, `${call}${" ".repeat(1_000_001)}`],
          [413, { ...given, "transfer-encoding": "chunked" }, `${call}${" ".repeat(1_000_001)}`],
        ] as ReadonlyArray<readonly [number, Headers, string?]>) {
          expect([headers, yield* send(headers, body)]).toEqual([headers, [status, false]])
        }
        const read = yield* get(`${url}/api/mcp`, {
          ...given,
          ...from("cross-site", "navigate", "document", true),
        })
        expect(read.status).toBe(403)
      }).pipe(Effect.scoped),
  )
})

describe("many calls in one request of an assistant", () => {
  it.live("are refused, and others have their queries answered", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      }
      const post = (body: string, session: Headers = {}) =>
        get(`${url}/api/mcp`, { ...headers, ...session }, { method: "POST", body })
      // Of the protocols, the one that has batches.
      const hello = yield* post(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-03-26",
            capabilities: {},
            clientInfo: { name: "attack", version: "1" },
          },
        }),
      )
      const session = { "mcp-session-id": String(hello.headers["mcp-session-id"]) }
      const sql = "SELECT levenshtein(repeat('a',1000000),repeat('b',1000000))"
      const calls = JSON.stringify(
        Array.from({ length: 20 }, (_, id) => ({
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "query", arguments: { sql } },
        })),
      )
      for (const body of [calls, `\uFEFF${calls}`, ` \r\n\t${calls}`]) {
        const refused = yield* post(body, session)
        expect([refused.status, refused.body]).toEqual([400, "Send one message at a time.\n"])
      }
      expect((yield* get(queryUrl(url, "select 'it' || ' ran'"))).body).toContain("it ran")
    }).pipe(Effect.scoped),
  )
})

/** What comes back for what is written to a socket, until the server closes it. */
const raw = (url: string, text: string): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let received = ""
        const socket = connect(Number(new URL(url).port), "127.0.0.1")
        socket.on("data", (data) => (received += String(data)))
        socket.on("error", () => resolve(received))
        socket.on("close", () => resolve(received))
        // Not ended: the server would take that for somebody who leaves.
        socket.write(text)
      }),
  )

describe("a request that is written oddly", () => {
  it.live("is refused, or means what it says", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small)
      const host = `Host: ${new URL(url).host}`
      const path = "/api/query?q=select%20%27it%27%7C%7C%27%20ran%27"
      const click =
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-User: ?1"
      const send = (line: string, ...headers: ReadonlyArray<string>) =>
        raw(url, `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`)
      expect(yield* send(`GET ${path} HTTP/1.1`, host)).toContain("it ran")
      for (const headers of [
        [host, "Host: evil.example"],
        ["Host: evil.example", host],
        [`${host}@evil.example`],
        [`${host}/evil.example`],
        ["Host: evil.example#@127.0.0.1"],
        ["Host: 127.0.0.1.evil.example"],
        ["Host: "],
        [],
        [host, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
        [host, "Sec-Fetch-Site: Cross-Site"],
        [host, "Sec-Fetch-Site: unheard-of"],
        [host, "Origin: "],
        [host, "Origin: null"],
        [host, `Origin: ${url}`, "Origin: http://evil.example"],
        [host, `Origin: ${url}.evil.example`],
        [host, "Origin: http://evil.example", "Upgrade: websocket", "Sec-WebSocket-Key: x"],
        [host, "Content-Length: 5", "Transfer-Encoding: chunked"],
        [host, "Transfer-Encoding: chunked", "Transfer-Encoding: x"],
        [host, "Content-Length: 1", "Content-Length: 2"],
      ]) {
        const reply = yield* send(`GET ${path} HTTP/1.1`, ...headers)
        expect(`${headers.join()} ${reply}`).toMatch(/ HTTP\/1.1 4\d\d /)
        expect(reply).not.toContain("it ran")
      }
      // A click opens pages alone, however their path is written.
      for (const written of ["/sql/%2e%2e", "/.", "/sql/..", "/", `http://${new URL(url).host}`]) {
        for (const method of ["GET", "HEAD"]) {
          const reply = yield* send(`${method} ${written}${path} HTTP/1.1`, host, click)
          expect(`${written} ${reply}`).toMatch(/ HTTP\/1.1 40[034] /)
        }
      }
      for (const method of ["PUT", "POST", "DELETE", "OPTIONS", "TRACE", "PATCH"]) {
        expect(yield* send(`${method} ${path} HTTP/1.1`, host)).toMatch(/^HTTP\/1.1 4\d\d /)
      }
      const logged = yield* send(`GET /data/run/%E0%A4%A HTTP/1.1`, host)
      expect(logged).toMatch(/^HTTP\/1.1 404 /)
    }).pipe(Effect.scoped),
  )
})

const form = { "content-type": "application/x-www-form-urlencoded" }

const signInWith = (url: string, typed: string, headers: Headers = {}): Effect.Effect<Reply> =>
  get(
    `${url}/sign-in`,
    { ...form, origin: url, ...headers },
    { method: "POST", body: new URLSearchParams({ token: typed }).toString() },
  )

/** Of somebody who has signed in, as a browser sends it. */
const cookieOf = (url: string): Effect.Effect<string> =>
  Effect.map(
    signInWith(url, token),
    ({ headers }) => String(headers["set-cookie"]).split(";")[0] ?? "",
  )

describe("a page on another port of the host, where browsers send no Sec-Fetch-Site", () => {
  it.live("makes no query run with the sign-in of a reader", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { withToken: true })
      const cookie = yield* cookieOf(url)
      const sql = `${url}/sql?q=${encodeURIComponent("select 'it' || ' ran'")}`
      const api = queryUrl(url, "select 'it' || ' ran'")
      const others = [
        {},
        { referer: "" },
        { referer: "null" },
        { referer: "http://127.0.0.1:3000/" },
        { referer: "http://127.0.0.1/" },
        { referer: `http://evil.example/?${url}/` },
        { referer: `${url}@evil.example/` },
        { referer: `${url}/`, host: `localhost:${new URL(url).port}` },
        { authorization: "Basic x" },
      ] as ReadonlyArray<Headers>
      for (const headers of others) {
        const shown = yield* get(sql, { cookie, ...headers })
        expect([headers, shown.status]).toEqual([headers, 200])
        expect(shown.body).toContain("Read it before you run it")
        expect(shown.body).not.toContain("it ran")
        const refused = yield* get(api, { cookie, ...headers })
        expect([headers, refused.status]).toEqual([headers, 403])
        expect(refused.body).toContain("Authorization: Bearer")
        // An address that is typed, or a bookmark.
        expect((yield* get(url, { cookie, ...headers })).status).toBe(200)
      }
      for (const headers of [
        { cookie, referer: `${url}/sql?q=select+1` },
        { cookie, ...from("none", "navigate", "document", true) },
        { cookie, ...from("same-origin", "cors", "empty") },
        { authorization: `Bearer ${token}` },
        { cookie, authorization: `Bearer ${token}` },
      ] as ReadonlyArray<Headers>) {
        expect((yield* get(sql, headers)).body).toContain("it ran")
        expect((yield* get(api, headers)).body).toContain("it ran")
      }
    }).pipe(Effect.scoped),
  )
})

describe("somebody without the token", () => {
  it.live("can send no large body, whether its length is known or not", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { withToken: true })
      const before = process.memoryUsage.rss()
      for (const headers of [
        { "content-length": "600000000" },
        { "transfer-encoding": "chunked" },
      ]) {
        const status = yield* Effect.promise(
          () =>
            new Promise<number>((resolve) => {
              const sent = request(`${url}/sign-in`, {
                method: "POST",
                headers: { ...form, origin: url, ...headers },
              })
              const block = Buffer.alloc(1_000_000, "a")
              let left = 600
              const write = (): void => {
                while (left-- > 0 && sent.write(block)) continue
                if (left > 0) sent.once("drain", write)
              }
              sent.on("response", (response) => {
                left = 0
                sent.destroy()
                resolve(response.statusCode ?? 0)
              })
              sent.on("error", () => undefined)
              write()
            }),
        )
        expect(status).toBe(413)
      }
      expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000)
    }).pipe(Effect.scoped),
  )

  it.live("can send the token in parts of unknown length", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { withToken: true })
      const parts = { "transfer-encoding": "chunked" }
      expect((yield* signInWith(url, token, parts)).status).toBe(303)
      expect((yield* signInWith(url, "x".repeat(5000), parts)).status).toBe(413)
      expect((yield* signInWith(url, "wrong", parts)).status).toBe(401)
    }).pipe(Effect.scoped),
  )

  it.live("gets a sentence for a body that is no form, and leaves no line in the log", () => {
    const logged: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    return Effect.gen(function* () {
      const url = yield* startServer(yield* small, { withToken: true })
      for (const [type, sent] of [
        ["multipart/form-data; boundary=x", "--x\r\nbroken"],
        ["multipart/form-data", "x"],
        ["multipart/form-data; boundary=", '--\r\ncontent-disposition: form-data; name="token"'],
        ["application/json", "{"],
        ["", "\u0000"],
      ] as const) {
        const { status, body } = yield* get(
          `${url}/sign-in`,
          { "content-type": type, origin: url },
          { method: "POST", body: sent },
        )
        expect([type, status, body]).toEqual([
          type,
          415,
          "Send the token as a form: application/x-www-form-urlencoded.\n",
        ])
      }
      expect(logged).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(log))
  })

  it.live(
    "waits after each wrong one, as the log says; others sign in meanwhile by their cookie",
    () => {
      const logged: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      return Effect.gen(function* () {
        const url = yield* startServer(yield* small, { withToken: true })
        const cookie = yield* cookieOf(url)
        const began = performance.now()
        const tries = Array.from({ length: 20 }, (_, at) =>
          at % 2 === 0
            ? signInWith(url, `wrong ${at}`)
            : get(`${url}/api/publication`, { authorization: `Bearer wrong ${at}` }),
        )
        const [replies, signedIn] = yield* Effect.all(
          [Effect.all(tries, { concurrency: "unbounded" }), get(url, { cookie })],
          { concurrency: "unbounded" },
        )
        const took = performance.now() - began
        expect(took).toBeGreaterThanOrEqual(WRONG_TOKEN_MILLIS - 20)
        expect(signedIn.status).toBe(200)
        const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b)
        // One at a time: more than one only where a slow machine sends them later.
        const compared = statuses.lastIndexOf(401) + 1
        expect(compared).toBeGreaterThan(0)
        expect(compared).toBeLessThanOrEqual(Math.ceil(took / WRONG_TOKEN_MILLIS))
        expect(statuses.slice(compared)).toEqual(Array.from({ length: 20 - compared }, () => 429))
        expect(logged.filter((line) => line.includes("a wrong token from 127.0.0.1"))).toHaveLength(
          compared,
        )
        expect((yield* signInWith(url, token)).status).toBe(303)
      }).pipe(Effect.scoped, Effect.provide(log))
    },
  )

  it.live("can't read the cookie of somebody behind TLS from a connection without it", () =>
    Effect.gen(function* () {
      const name = "vaults.example"
      const access = { host: "127.0.0.1", allowedHosts: [name], token: Redacted.make(token) }
      const url = yield* startServer(yield* small, { access })
      const secure = yield* signInWith(url, token, { host: name, origin: `https://${name}` })
      expect(String(secure.headers["set-cookie"])).toContain("Secure")
      const proxied = yield* signInWith(url, token, { "x-forwarded-proto": "https" })
      expect(String(proxied.headers["set-cookie"])).toContain("Secure")
      expect(String((yield* signInWith(url, token)).headers["set-cookie"])).not.toContain("Secure")
    }).pipe(Effect.scoped),
  )
})
