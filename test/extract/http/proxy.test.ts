// Requests through a real proxy on loopback: tunnels to a TLS server and forwarded requests, refusals, limits.
import { readFileSync } from "node:fs"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Proxies } from "../../../src/domain/wire/proxies.ts"
import { unrealizedPnl } from "../../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { failureOf, startClient } from "../../support/client.ts"
import { http2Server } from "../../support/servers/http2Server.ts"
import { type ProxyOptions, startProxy } from "../../support/servers/proxy.ts"
import { json, type Script } from "../../support/servers/scriptedServer.ts"
import { authorityFile, tlsServer } from "../../support/servers/tlsServer.ts"
import { HANG_SECONDS, untilSo } from "../../support/until.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const credentials = "reader:s3cret-p4ss"

const before = getCACertificates("default")
beforeAll(() => setDefaultCACertificates([...before, readFileSync(authorityFile, "utf8")]))
afterAll(() => setDefaultCACertificates(before))

const proxiesTo = (url: string, direct: ReadonlyArray<string> = []): Proxies => {
  const shown = new URL(url).origin
  const proxy = { url: Redacted.make(url), origin: shown }
  return {
    http: { ...proxy, variable: "HTTP_PROXY" },
    https: { ...proxy, variable: "HTTPS_PROXY" },
    direct,
  }
}

const withCredentials = (url: string, text = credentials): string =>
  url.replace("http://", `http://${text}@`)

/** A client of a service with or without TLS, through a proxy. */
const start = Effect.fnUntraced(function* (
  scheme: "http" | "https",
  script: Script,
  options: ProxyOptions & { readonly sent?: string; readonly direct?: ReadonlyArray<string> } = {},
  settings: Parameters<typeof startClient>[1] = {},
) {
  const proxy = yield* startProxy(options)
  const { sent, direct } = options
  const url = sent === undefined ? proxy.url : withCredentials(proxy.url, sent)
  let requests = 0
  const secure = yield* tlsServer((request, response) => {
    requests += 1
    const { method = "", headers } = request
    script({ method, url: request.url ?? "", headers }, response, requests)
  })
  const { client, server } = yield* startClient(
    script,
    {
      requestTimeoutSeconds: HANG_SECONDS,
      retryBudgetSeconds: 0,
      proxies: proxiesTo(url, direct),
      ...(scheme === "https" ? { baseUrl: secure } : {}),
      ...settings,
    },
    { concurrency: 40 },
  )
  const target = scheme === "https" ? secure : server.url
  const method = scheme === "https" ? "CONNECT" : "GET"
  return { client, proxy, target, method, variable: `${scheme.toUpperCase()}_PROXY` }
})

describe.each(["http", "https"] as const)("a service at %s://", (scheme) => {
  it.live("is reached through the proxy, with the credentials that it requires", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { client, proxy, target, method } = yield* start(
        scheme,
        ({ headers }, response) => {
          seen.push(headers["x-api-key"], headers["proxy-authorization"])
          json(response, [])
        },
        { credentials, sent: credentials },
        { apiKey: Redacted.make("sk-live-31415") },
      )
      expect((yield* client.call(unrealizedPnl, { vault })).value).toEqual([])
      expect(seen).toEqual(["sk-live-31415", undefined])
      expect(proxy.requests).toEqual([
        expect.stringContaining(`${method} ${scheme === "https" ? new URL(target).host : target}`),
      ])
    }),
  )

  it.live("is reached directly if NO_PROXY covers it", () =>
    Effect.gen(function* () {
      const { client, proxy } = yield* start(scheme, (_, response) => json(response, []), {
        direct: ["127.0.0.1"],
      })
      expect((yield* client.call(unrealizedPnl, { vault })).value).toEqual([])
      expect(proxy.requests).toEqual([])
    }),
  )

  it.live("an error names a proxy that rejects the credentials, without them", () =>
    Effect.gen(function* () {
      const { client, proxy, variable } = yield* start(scheme, () => undefined, {
        credentials,
        sent: "reader:wr0ng",
      })
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.message).toContain(
        `the proxy ${proxy.url} (${variable}) requires a user name and password`,
      )
      expect(JSON.stringify(error) + error.message).not.toContain("wr0ng")
      expect(error.attempts).toBe(1)
    }),
  )

  it.live("an error names a proxy that can't be reached", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(() => undefined, {
        retryBudgetSeconds: 0,
        baseUrl: `${scheme}://service.example`,
        proxies: proxiesTo("http://reader:s3cret@127.0.0.1:9"),
      })
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.message).toContain(
        `the proxy http://127.0.0.1:9 (${scheme.toUpperCase()}_PROXY) can't be reached: ECONNREFUSED`,
      )
      expect(error.message).toContain("service.example in NO_PROXY")
      expect(error.message).not.toContain("s3cret")
    }),
  )

  it.live.each([403, 502])("an error names a proxy that refuses with %s", (refusal) =>
    Effect.gen(function* () {
      const { client, proxy, target, variable } = yield* start(scheme, () => undefined, {
        refusal,
      })
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.message).toContain(`the proxy ${proxy.url} (${variable})`)
      if (scheme === "https") expect(error.message).toContain(`to ${target} (${refusal})`)
    }),
  )

  it.live("a proxy that does not respond costs one attempt's time", () =>
    Effect.gen(function* () {
      const { client, proxy } = yield* start(
        scheme,
        () => undefined,
        { refusal: 0 },
        { requestTimeoutSeconds: 4 },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toEqual({ _tag: "Timeout", of: "attempt", seconds: 4 })
      expect(proxy.requests).toHaveLength(1)
    }),
  )

  it.live("a response beyond its limit is given up, and its connection closed", () =>
    Effect.gen(function* () {
      const { client, proxy } = yield* start(
        scheme,
        (_, response) => {
          response.writeHead(200)
          const chunk = Buffer.alloc(64 * 1024, " ")
          const more = (): void => {
            while (!response.destroyed && response.write(chunk)) continue
          }
          response.on("drain", more)
          more()
        },
        {},
        { maxResponseMegabytes: 1 },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toEqual({ _tag: "ResponseTooLarge", megabytes: 1 })
      yield* untilSo("the connection is closed", () => proxy.connections() === 0)
    }),
  )

  it.live("a timeout closes the connection", () =>
    Effect.gen(function* () {
      const { client, proxy } = yield* start(
        scheme,
        (_, response) => response.writeHead(200).write("["),
        {},
        { requestTimeoutSeconds: 4 },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toMatchObject({ _tag: "Timeout" })
      yield* untilSo("the connection is closed", () => proxy.connections() === 0)
    }),
  )

  it.live("takes a bounded number of connections", () =>
    Effect.gen(function* () {
      const { client, proxy } = yield* start(scheme, (_, response) =>
        setTimeout(() => json(response, []), 20),
      )
      const calls = Array.from({ length: 120 }, () => client.call(unrealizedPnl, { vault }))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      expect(proxy.mostConnections()).toBeGreaterThan(4)
      expect(proxy.mostConnections()).toBeLessThanOrEqual(32)
    }),
  )
})

describe("HTTP/1.1 is spoken though the server prefers HTTP/2:", () => {
  const called = Effect.fnUntraced(function* (baseUrl: string, proxies?: Proxies) {
    const settings = { baseUrl, retryBudgetSeconds: 0, ...(proxies && { proxies }) }
    const { client } = yield* startClient(() => undefined, settings)
    return yield* Effect.result(client.call(unrealizedPnl, { vault }))
  })

  it.live("the service, reached directly", () =>
    Effect.gen(function* () {
      const service = yield* http2Server
      expect((yield* called(service.url))._tag).toBe("Success")
      expect(service.protocols).toEqual(["http/1.1"])
    }),
  )

  it.live("the service, through a proxy", () =>
    Effect.gen(function* () {
      const service = yield* http2Server
      const proxy = yield* startProxy()
      expect((yield* called(service.url, proxiesTo(proxy.url)))._tag).toBe("Success")
      expect(service.protocols).toEqual(["http/1.1"])
    }),
  )

  it.live("a proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* http2Server
      yield* called("https://service.example", proxiesTo(proxy.url))
      expect(new Set(proxy.protocols)).toEqual(new Set(["http/1.1"]))
    }),
  )
})
