// Responses that are too large or never end, and certificates: real servers on loopback.
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { unrealizedPnl } from "../../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { failureOf, startClient } from "../../support/client.ts"
import { json, type Script, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { tlsServer } from "../../support/servers/tlsServer.ts"
import { HANG_SECONDS, untilSo } from "../../support/until.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const MEGABYTE = 1_000_000

/** Gzip files may follow each other: each of these few hundred bytes decompresses to a megabyte. */
const bomb = (megabytes: number): Buffer => {
  const member = gzipSync(Buffer.alloc(MEGABYTE, " "))
  return Buffer.concat(Array.from({ length: megabytes }, () => member))
}

/** How much more memory the process holds than before, at most, while the effect runs. */
const peakGrowth = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.memoryUsage().rss
    let peak = before
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5)
    const value = yield* effect
    clearInterval(timer)
    return { value, megabytes: (peak - before) / MEGABYTE }
  })

it.live("the connection has no time limits of its own", () =>
  Effect.gen(function* () {
    // Those of undici count in half seconds.
    const slow: Script = (_request, response) => {
      setTimeout(() => response.writeHead(200).flushHeaders(), 1200)
      setTimeout(() => response.end("[]"), 2400)
    }
    const { client } = yield* startClient(slow, { retryBudgetSeconds: 0 })
    const { value } = yield* client.call(unrealizedPnl, { vault })
    expect(value).toEqual([])
  }),
)

describe("a response beyond its limit", () => {
  const withNeighbour =
    (script: Script): Script =>
    (request, response, number) =>
      request.url.includes("limit=7") ? json(response, []) : script(request, response, number)

  it.live.each([
    [
      "a gzip bomb",
      (_request, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(bomb(600)),
    ],
    [
      "a body without an end",
      (_request, response) => {
        response.writeHead(200)
        const chunk = Buffer.alloc(64 * 1024, " ")
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) continue
        }
        response.on("drain", more)
        more()
      },
    ],
    [
      "an endless error page",
      (_request, response) => {
        response.writeHead(503)
        const chunk = Buffer.alloc(64 * 1024, "x")
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) continue
        }
        response.on("drain", more)
        more()
      },
    ],
  ] satisfies ReadonlyArray<readonly [string, Script]>)(
    "%s is given up at once, and its neighbours land",
    ([, script]) =>
      Effect.gen(function* () {
        const { client, server } = yield* startClient(withNeighbour(script), {
          maxResponseMegabytes: 5,
          requestTimeoutSeconds: HANG_SECONDS,
        })
        const neighbour = yield* Effect.forkChild(client.call(unrealizedPnl, { vault, limit: 7 }))
        const { value, megabytes } = yield* peakGrowth(
          failureOf(client.call(unrealizedPnl, { vault })),
        )
        expect(value.reason).toEqual({ _tag: "ResponseTooLarge", megabytes: 5 })
        expect(value.message).toContain("maxResponseMegabytes")
        expect(value.isRetryable).toBe(false)
        expect(megabytes).toBeLessThan(150)
        expect((yield* Fiber.join(neighbour)).value).toEqual([])
        expect(server.requests).toHaveLength(2)
      }),
  )

  it.live("may be as large as the limit", () =>
    Effect.gen(function* () {
      const points = `[${" ".repeat(MEGABYTE - 2)}]`
      const { client } = yield* startClient(
        (_, response) =>
          response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(points)),
        { maxResponseMegabytes: 1 },
      )
      expect((yield* client.call(unrealizedPnl, { vault })).value).toEqual([])
    }),
  )
})

it.live("a timeout stops the download and its decompression", () =>
  Effect.gen(function* () {
    let isClosed = false
    const { client } = yield* startClient(
      (_, response) => {
        const member = bomb(1)
        response.writeHead(200, { "content-encoding": "gzip" })
        const timer = setInterval(() => response.write(member), 200)
        response.on("close", () => {
          clearInterval(timer)
          isClosed = true
        })
      },
      { requestTimeoutSeconds: 4, retryBudgetSeconds: 0 },
    )
    const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
    expect(error.reason).toEqual({ _tag: "Timeout", of: "attempt", seconds: 4 })
    yield* untilSo("the connection is closed", () => isClosed)
    yield* untilSo(
      "nothing is decompressed",
      () => !process.getActiveResourcesInfo().includes("ZlibStream"),
    )
  }),
)

it.live("the error of a certificate from an unknown authority names NODE_EXTRA_CA_CERTS", () =>
  Effect.gen(function* () {
    const baseUrl = yield* tlsServer((_, response) => response.end("[]"))
    const { client } = yield* startClient((_, response) => json(response, []), { baseUrl })
    const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
    expect(error.message).toContain(`certificate of ${baseUrl}`)
    expect(error.message).toContain("NODE_EXTRA_CA_CERTS")
    expect(error.attempts).toBe(1)
  }),
)

it.live("the error of an https address of a plain HTTP server says so", () =>
  Effect.gen(function* () {
    const server = yield* scriptedServer((_, response) => json(response, []))
    const baseUrl = server.url.replace("http:", "https:")
    const { client } = yield* startClient((_, response) => json(response, []), { baseUrl })
    const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
    expect(error.message).toContain(`${baseUrl} does not speak TLS`)
    expect(error.attempts).toBe(1)
  }),
)
