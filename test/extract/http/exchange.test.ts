// What a request says in its headers, and what a response says in them beside its body.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { unrealizedPnl } from "../../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { exchange } from "../../../src/extract/http/exchange.ts"
import { delaySecondsOf } from "../../../src/extract/http/retryAfter.ts"
import {
  type IncomingResponse,
  type OutgoingRequest,
  ResponseTooLarge,
  type Transport,
} from "../../../src/extract/http/Transport.ts"
import { startClient } from "../../support/client.ts"
import { json } from "../../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
// So that the half second which a date lacks, on average, leaves whole seconds.
const NOW = Date.UTC(2026, 0, 31, 10) + 500

it.effect.each([
  ["an hour ahead", 3600, undefined, 3600],
  ["an hour behind", -3600, undefined, -3600],
  ["ten minutes old, which a cache has kept for as long", -600, "600", 0],
  ["of a cache that does not say for how long", -600, "a while", -600],
  [
    "before 2024, as of a server without a clock",
    (Date.UTC(2024) - NOW - 500) / 1000 - 1,
    undefined,
    undefined,
  ],
  [
    "of the first second of 2024",
    (Date.UTC(2024) - NOW + 500) / 1000,
    undefined,
    (Date.UTC(2024) - NOW + 500) / 1000,
  ],
] as const)("finds how wrong the clock is by a date %s", ([, ahead, age, skew]) =>
  Effect.gen(function* () {
    const { client } = yield* startClient((_, response) => {
      response.setHeader("date", new Date(NOW + ahead * 1000).toUTCString())
      if (age !== undefined) response.setHeader("age", age)
      json(response, [])
    })
    yield* TestClock.setTime(NOW)
    yield* client.call(unrealizedPnl, { vault })
    expect(yield* client.clockSkewSeconds).toBe(skew)
  }),
)

it.effect("finds nothing by a text that is no date", () =>
  Effect.gen(function* () {
    const { client } = yield* startClient((_, response) => {
      response.setHeader("date", "today")
      json(response, [])
    })
    yield* client.call(unrealizedPnl, { vault })
    expect(yield* client.clockSkewSeconds).toBeUndefined()
  }),
)

describe("an exchange", () => {
  const proxy = {
    url: Redacted.make("http://proxy:3128"),
    origin: "http://proxy:3128",
    variable: "HTTP_PROXY",
  }
  const responded = (response: Partial<IncomingResponse>) =>
    Effect.succeed({ status: 200, headers: {}, body: Buffer.from("[]"), proxy, ...response })

  /** What is sent, and what it brings; `SECRET` is the key. */
  const exchanged = (
    send: ReturnType<Transport["Service"]["send"]>,
    { url = "http://localhost/one", body = undefined as string | undefined, key = true } = {},
  ) => {
    const sent: Array<OutgoingRequest & { readonly maxBytes: number }> = []
    const connection = {
      transport: {
        send: (request: OutgoingRequest, maxBytes: number) => {
          sent.push({ ...request, maxBytes })
          return send
        },
      },
      key: key ? "SECRET" : undefined,
      redact: (text: string) => text.replaceAll("SECRET", "<redacted>"),
      maxResponseMegabytes: 64,
    }
    const request = { method: "GET" as const, url: new URL(url), body }
    return Effect.map(Effect.result(exchange(connection, request, 30)), (result) => ({
      sent,
      result,
    }))
  }

  it.effect("sends the key, and what kind of body there is, only where there is one", () =>
    Effect.gen(function* () {
      const accepted = { accept: "application/json", "accept-encoding": "gzip" }
      const { sent: bare } = yield* exchanged(responded({}), { key: false })
      expect(bare).toMatchObject([{ method: "GET", maxBytes: 64_000_000 }])
      expect(bare[0]?.headers).toEqual(accepted)
      const { sent } = yield* exchanged(responded({}), { body: "{}" })
      expect(sent[0]?.body).toBe("{}")
      expect(sent[0]?.headers).toEqual({
        ...accepted,
        "content-type": "application/json",
        "x-api-key": "SECRET",
      })
    }),
  )

  it.effect("takes the key out of the body and of the address of a redirect", () =>
    Effect.gen(function* () {
      const headers = { location: "/login?key=SECRET" }
      const body = Buffer.from("who is SECRET?")
      const { result } = yield* exchanged(responded({ headers, body }))
      expect(result).toMatchObject({
        success: {
          text: "who is <redacted>?",
          body: Buffer.from("who is <redacted>?"),
          location: "/login?key=<redacted>",
        },
      })
      const invalid = Buffer.from([0x5b, 0xff, 0x5d])
      // Bytes that are no text stay as they came.
      const { result: kept } = yield* exchanged(responded({ body: invalid }))
      expect(kept).toMatchObject({ success: { body: invalid, location: undefined } })
    }),
  )

  it.effect("may be with a proxy only where that can read it", () =>
    Effect.gen(function* () {
      const { result: plain } = yield* exchanged(responded({}))
      expect(plain).toMatchObject({ success: { forwardedBy: proxy } })
      const { result: secret } = yield* exchanged(responded({}), { url: "https://localhost/one" })
      expect(secret).toMatchObject({ success: { forwardedBy: undefined } })
    }),
  )

  it.effect("fails after its time, or where the response is too large, with what allows more", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(exchanged(Effect.never))
      yield* TestClock.adjust(29_999)
      expect(waiting.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(waiting.pollUnsafe()).toBeDefined()
      expect((yield* Fiber.join(waiting)).result).toMatchObject({
        failure: {
          reason: { _tag: "Timeout", of: "attempt", seconds: 30 },
          detail: "no complete response within 30 s; --request-timeout allows more",
        },
      })
      const { result } = yield* exchanged(Effect.fail(new ResponseTooLarge()))
      expect(result).toMatchObject({
        failure: {
          reason: { _tag: "ResponseTooLarge", megabytes: 64 },
          detail: expect.stringContaining("exceeds 64 MB"),
        },
      })
    }),
  )
})

describe("the delay that the service asks for", () => {
  const iso = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
  it.each<[number, Record<string, string>, number | undefined]>([
    [503, { "retry-after": "7" }, 7],
    [503, { "retry-after": " 7.5 " }, 7.5],
    [503, { "retry-after": iso(90) }, 90],
    [503, { "retry-after": iso(-90) }, undefined],
    [503, { "retry-after": "0.5" }, 0.5],
    [503, { "retry-after": "0" }, undefined],
    [503, { "retry-after": "-7" }, undefined],
    [503, { "retry-after": "7 s" }, undefined],
    [503, { "retry-after": "Sat, 31 Jan" }, undefined],
    [503, { "retry-after": "2026 or later" }, undefined],
    // Seconds up to thirty years; then seconds since 1970, and then milliseconds.
    [503, { "retry-after": "999999999" }, 999_999_999],
    [503, { "retry-after": String(NOW / 1000 + 60) }, 60],
    [503, { "retry-after": String(NOW + 60_000) }, 60],
    [503, { "retry-after": "1000000000" }, undefined],
    [503, { "retry-after": "99999999999" }, 99_999_999_999 - NOW / 1000],
    [503, { "retry-after": "100000000000" }, undefined],
    [503, { "ratelimit-reset": "7" }, undefined],
    [429, { "ratelimit-reset": "7" }, 7],
    [429, { "x-ratelimit-reset": "7" }, 7],
    [429, { "x-ratelimit-reset": "8", "ratelimit-reset": "7" }, 7],
    [429, { "x-ratelimit-reset": "8", "retry-after": "7" }, 7],
    [429, { "x-ratelimit-reset": "8", "retry-after": "soon" }, 8],
    [429, {}, undefined],
  ])("with %d and %j is %s s", (status, headers, seconds) => {
    expect(delaySecondsOf(status, headers, NOW)).toBe(seconds)
  })

  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 10) + seconds * 1000)
  const until = { "retry-after": at(30).toUTCString() }
  const reset = { "x-ratelimit-reset": String(at(30).getTime() / 1000) }

  it.each([
    [{ ...until, date: at(0).toUTCString() }, 30],
    [{ ...reset, date: at(0).toUTCString() }, 30],
    [{ ...until, date: at(-60).toUTCString(), age: "60" }, 30],
    [{ ...until, date: "today" }, 3630],
    [{ "retry-after": "30", date: at(0).toUTCString() }, 30],
  ])(
    "%j is %s seconds by the service's clock, though this machine's is an hour behind",
    (headers, seconds) => {
      expect(delaySecondsOf(429, headers, at(-3600).getTime())).toBe(seconds)
    },
  )
})
