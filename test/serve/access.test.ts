// Who may read: names that are the server's own, sign-in and its limits, and the headers of every response. What a page of
// another site sends is in test/attack/web.test.ts.
import { hostname } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Hono } from "hono"
import { type Access, ownNameOnly, signIn } from "../../src/serve/access.ts"
import { get, smallWarehouse, startServer, token } from "./support.ts"

const small = smallWarehouse()

describe("a request", () => {
  const status = async (
    access: Omit<Access, "token">,
    headers: Readonly<Record<string, string>>,
  ): Promise<number> => {
    const app = new Hono()
    app.use(ownNameOnly({ ...access, token: undefined }))
    app.get("/", (c) => c.text("read"))
    return (await app.request("/", { headers })).status
  }
  const loopback = { host: "127.0.0.1", allowedHosts: ["Vaults.Example", "other.example:8443"] }
  const named = { host: "192.0.2.7", allowedHosts: [] }
  const everywhere = ["0.0.0.0", "::"].map((host) => ({ host, allowedHosts: [] }))

  it.each([
    "127.0.0.1:8484",
    "LOCALHOST:8484",
    "[::1]:8484",
    "[::1]",
    "vaults.example",
    "VAULTS.EXAMPLE:443",
    "other.example:8443",
  ])("to %s on this machine is read", async (host) => {
    expect(await status(loopback, { host })).toBe(200)
  })

  it.each([
    "",
    "evil.example",
    "127.0.0.1.evil.example",
    "vaults.example.evil.example",
    "evil-vaults.example",
    "0.0.0.0:8484",
    "192.0.2.7:8484",
    "[2001:db8::1]:8484",
  ])("to %j on this machine is refused: the name may lead here and be another's", async (host) => {
    expect(await status(loopback, { host })).toBe(421)
  })

  it("to the machine's own name or address is read where the server listens on it", async () => {
    const own = `${hostname().toUpperCase()}:8484`
    for (const access of everywhere) {
      for (const host of [own, "192.0.2.7:8484", "[2001:db8::1]:8484", "127.0.0.1:8484"]) {
        expect([access.host, host, await status(access, { host })]).toEqual([
          access.host,
          host,
          200,
        ])
      }
      for (const host of ["evil.example", "192.0.2.7.evil.example", `${hostname()}.evil.example`]) {
        expect([access.host, host, await status(access, { host })]).toEqual([
          access.host,
          host,
          421,
        ])
      }
    }
    expect(await status(named, { host: "192.0.2.7:8484" })).toBe(200)
    expect(await status(named, { host: "192.0.2.8:8484" })).toBe(421)
    if (hostname() !== "localhost") expect(await status(named, { host: own })).toBe(421)
  })

  it("of a page is read if the page is of the same name and port", async () => {
    for (const [host, origin, wanted] of [
      ["vaults.example", "https://vaults.example", 200],
      ["127.0.0.1:8484", "http://127.0.0.1:8484", 200],
      ["127.0.0.1:8484", "http://127.0.0.1:8485", 403],
      ["127.0.0.1:8484", "http://127.0.0.1", 403],
      ["127.0.0.1:8484", "http://localhost:8484", 403],
      ["127.0.0.1:8484", "null", 403],
      ["127.0.0.1:8484", "", 403],
    ] as const) {
      expect([origin, await status(loopback, { host, origin })]).toEqual([origin, wanted])
    }
  })
})

describe("sign-in", () => {
  /** A server of this token, and requests to it from addresses of other machines. */
  const start = () => {
    const log: Array<string> = []
    const { required, accept } = signIn(Redacted.make(token), (line) => void log.push(line))
    const app = new Hono()
    app.post("/sign-in", async (c) => c.text(await accept(c, await c.req.text())))
    app.use(required((c, attempt) => c.text(attempt ?? "none", 401)))
    app.get("/", (c) => c.text("read"))
    const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } })
    const bodyOf = async (response: Response | Promise<Response>) => (await response).text()
    return {
      log,
      bearer: (address: string, typed: string) =>
        bodyOf(app.request("/", { headers: { authorization: `Bearer ${typed}` } }, from(address))),
      signedIn: async (headers: Readonly<Record<string, string>> = {}) =>
        (
          await app.request("/sign-in", { method: "POST", body: ` ${token}\n`, headers }, from("a"))
        ).headers.get("set-cookie") ?? "",
      read: (headers: Readonly<Record<string, string>>) =>
        bodyOf(app.request("/", { headers }, from("a"))),
    }
  }

  it("looks at one token an address until a wrong one is answered, and at those of 100 addresses", async () => {
    const { bearer, read, signedIn, log } = start()
    const host = "127.0.0.1:8484"
    const [cookie = ""] = (await signedIn({ host })).split(";")
    const tries = Array.from({ length: 110 }, (_, at) => bearer(`10.0.0.${at}`, `wrong ${at}`))
    const again = bearer("10.0.0.0", token)
    const other = bearer("10.0.1.0", token)
    expect([await again, await other]).toEqual(["early", "early"])
    // Those who have signed in notice nothing.
    expect(await read({ cookie, host })).toBe("read")
    expect(await Promise.all(tries)).toEqual([
      ...Array.from({ length: 100 }, () => "wrong"),
      ...Array.from({ length: 10 }, () => "early"),
    ])
    expect(log).toEqual(
      Array.from({ length: 100 }, (_, at) => `serve: a wrong token from 10.0.0.${at}`),
    )
    expect(await Promise.all([bearer("10.0.0.0", token), bearer("10.0.1.0", token)])).toEqual([
      "read",
      "read",
    ])
  })

  it("takes a token with letters beyond ASCII in a header, whose bytes are UTF-8", async () => {
    const app = new Hono()
    const { required } = signIn(Redacted.make("Schlüssel der Leser"), () => undefined)
    app.use(required((c) => c.text("none", 401)))
    app.get("/", (c) => c.text("read"))
    const authorization = Buffer.from("Bearer Schlüssel der Leser").toString("latin1")
    const address = { incoming: { socket: { remoteAddress: "a" } } }
    const response = await app.request("/", { headers: { authorization } }, address)
    expect(await response.text()).toBe("read")
  })

  it("gives a cookie that is not the token, for this server as long as it runs", async () => {
    const [one, other] = [start(), start()]
    const host = "vaults.example:8484"
    const cookie = await one.signedIn({ host })
    expect(cookie).toMatch(/^vaulthouse-8484=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const [pair = ""] = cookie.split(";")
    expect(await one.read({ host, cookie: pair })).toBe("read")
    // As after a restart with the same token.
    expect(await other.read({ host, cookie: pair })).toBe("none")
    for (const wrong of ["", `vaulthouse-8484=${token}`, "vaulthouse-8484=", pair.slice(0, -1)]) {
      expect([wrong, await one.read({ host, cookie: wrong })]).toEqual([wrong, "none"])
    }
    // Of a server on another port.
    expect(await one.read({ host: "vaults.example:8485", cookie: pair })).toBe("none")
  })

  it.each<[Readonly<Record<string, string>>, boolean]>([
    [{ "x-forwarded-proto": "https" }, true],
    [{ "x-forwarded-proto": "https, http" }, true],
    [{ origin: "https://vaults.example" }, true],
    [{ "x-forwarded-proto": "http, https" }, false],
    [{ origin: "http://vaults.example" }, false],
    [{}, false],
  ])("of a browser with %j: the cookie is for TLS alone: %s", async (headers, isSecure) => {
    const cookie = await start().signedIn({ host: "vaults.example", ...headers })
    expect(cookie.startsWith("vaulthouse=")).toBe(true)
    expect(/; Secure(;|$)/.test(cookie)).toBe(isSecure)
  })
})

describe("every response", () => {
  it.live(
    "is shown in no frame, loads and runs nothing but what is the server's, and is not kept",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer(yield* small, { withToken: true })
        const bearer = { authorization: `Bearer ${token}` }
        const [, asset = ""] = /href="(\/assets[^"]+)"/.exec((yield* get(url, bearer)).body) ?? []
        for (const [path, status, headers, method] of [
          ["/", 200, bearer],
          ["/sql", 200, bearer],
          [asset, 200, {}],
          ["/assets/x/nothing", 404, {}],
          ["/api/publication", 200, bearer],
          ["/api/query?q=select+1&format=csv", 200, bearer],
          ["/api/query?q=selec", 400, bearer],
          ["/nothing", 404, bearer],
          ["/api/nothing", 404, bearer],
          ["/", 401, {}],
          ["/sign-in", 415, {}, "POST"],
          ["/", 421, { host: "evil.example" }],
          ["/", 403, { origin: "http://evil.example" }],
          [`/sql?q=${"x".repeat(32_000)}`, 414, bearer],
        ] as ReadonlyArray<readonly [string, number, Record<string, string>, string?]>) {
          const reply = yield* get(`${url}${path}`, headers, method === undefined ? {} : { method })
          expect([path.slice(0, 40), reply.status, reply.headers]).toEqual([
            path.slice(0, 40),
            status,
            expect.objectContaining({
              "content-security-policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
              "x-content-type-options": "nosniff",
              "referrer-policy": "same-origin",
              "cross-origin-opener-policy": "same-origin",
              "cross-origin-resource-policy": "same-origin",
              "x-frame-options": "DENY",
              "cache-control": path === asset ? "public, max-age=31536000, immutable" : "no-store",
            }),
          ])
        }
      }).pipe(Effect.scoped),
  )

  it.live("to an address or a body that is a byte too long is a refusal", () =>
    Effect.gen(function* () {
      const url = yield* startServer(yield* small, { withToken: true })
      const bearer = { authorization: `Bearer ${token}` }
      const sql = `${url}/api/query?q=select+%27it+ran%27--`
      const long = (bytes: number) => get(sql + "x".repeat(bytes - sql.length), bearer)
      expect((yield* long(32_000)).body).toContain("it ran")
      expect((yield* long(32_001)).status).toBe(414)
      const form = { "content-type": "application/x-www-form-urlencoded", origin: url }
      const body = (bytes: number) => `token=${encodeURIComponent(token)}&x=`.padEnd(bytes, "x")
      for (const parts of [{}, { "transfer-encoding": "chunked" }] as ReadonlyArray<object>) {
        const sent = (bytes: number) =>
          get(`${url}/sign-in`, { ...form, ...parts }, { method: "POST", body: body(bytes) })
        expect((yield* sent(4096)).status).toBe(303)
        expect((yield* sent(4097)).status).toBe(413)
      }
    }).pipe(Effect.scoped),
  )
})
