// When a call is sent again, after how long, and when it is given up: a real server, and a clock the test turns.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiError } from "../../src/domain/errors.ts"
import { revertReason } from "../../src/extract/endpoints/transparency/revert_reason.ts"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { protocolPositions } from "../../src/extract/endpoints/subaccounts/protocol_positions.ts"
import { failureOf, noTimeout, startClient, turned } from "../support/client.ts"
import { json, type Script } from "../support/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const settings = { ...noTimeout, retryBudgetSeconds: 120 }
const transaction = { chain: 1, transactionHash: "0xab" }

type Headers = Readonly<Record<string, string>>

/** Refuses the first so many requests, and then answers. */
const refusing =
  (
    times: number,
    status: number,
    headers: Headers = {},
    body: unknown = { detail: "no" },
  ): Script =>
  (_, response, number) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    json(response, number <= times ? body : [], number <= times ? status : 200)
  }

/** The error of a call that was given up. */
const errorOf = (result: Result.Result<unknown, unknown>): ApiError =>
  Result.getOrThrow(Result.flip(result)) as ApiError

describe("a call that is refused", () => {
  it.effect.each([429, 503, 500, 424])("%d with Retry-After waits as long as it says", (status) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        refusing(1, status, { "retry-after": "30" }),
        settings,
      )
      const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(2)
      expect(seconds).toBeGreaterThanOrEqual(30)
      expect(seconds).toBeLessThan(32)
    }),
  )

  it.effect.each([429, 503, 424])(
    "%d with a Retry-After beyond the budget is left for later, at once",
    (status) =>
      Effect.gen(function* () {
        const { client, server } = yield* startClient(
          refusing(9, status, { "retry-after": "3600" }),
          settings,
        )
        const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
        const error = errorOf(result)
        expect(error.reason).toEqual({ _tag: "RateLimited", delaySeconds: 3600 })
        expect(error.status).toBe(status)
        expect(error.detail).toMatch(/^no; the service asked to wait 3600 s/)
        expect(server.asked).toHaveLength(1)
        expect(seconds).toBeLessThan(2)
      }),
  )

  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds
  it.live.each([
    ["x-ratelimit-reset", "epoch milliseconds", (): unknown => inSeconds(60) * 1000],
    ["x-ratelimit-reset", "epoch seconds", (): unknown => inSeconds(60)],
    ["x-ratelimit-reset", "seconds", (): unknown => 60],
    ["ratelimit-reset", "seconds", (): unknown => 60],
    ["x-ratelimit-reset", "a date", (): unknown => new Date(inSeconds(60) * 1000).toISOString()],
    ["retry-after", "a date", (): unknown => new Date(inSeconds(60) * 1000).toUTCString()],
    ["ratelimit", "a field of fields", (): unknown => '"default";r=0;t=60'],
    ["ratelimit", "a list", (): unknown => "limit=10, remaining=0, reset=60"],
    ["x-rate-limit-reset", "epoch seconds", (): unknown => inSeconds(60)],
    ["retry-after", "epoch seconds", (): unknown => inSeconds(60)],
  ] as const)("a 429 with %s as %s is a wait of as many seconds", ([header, , value]) =>
    Effect.gen(function* () {
      const { client } = yield* startClient(refusing(9, 429, { [header]: String(value()) }))
      const { reason } = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(reason._tag).toBe("RateLimited")
      const { delaySeconds } = reason as { readonly delaySeconds?: number }
      expect(delaySeconds).toBeGreaterThan(57)
      expect(delaySeconds).toBeLessThanOrEqual(60)
    }),
  )

  it.live("an instant is understood by the service's clock", () =>
    Effect.gen(function* () {
      const dayLater = Date.now() + 86_400_000
      const { client } = yield* startClient(
        refusing(9, 429, {
          date: new Date(dayLater).toUTCString(),
          "retry-after": new Date(dayLater + 60_000).toUTCString(),
        }),
      )
      const { reason } = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(reason).toEqual({ _tag: "RateLimited", delaySeconds: 60 })
    }),
  )

  it.effect.each([
    { "retry-after": "0" },
    { "retry-after": new Date(0).toUTCString() },
    { "retry-after": "soon" },
    { "retry-after": "" },
    { "x-ratelimit-reset": "0" },
    { "retry-after": "0.01" },
  ])("a delay that is over, %j, leaves the backoff: ten attempts take their time", (headers) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(refusing(20, 503, headers), {
        ...settings,
        retryBudgetSeconds: 1000,
      })
      const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(errorOf(result).reason._tag).toBe("ServerError")
      expect(server.asked).toHaveLength(10)
      expect(seconds).toBeGreaterThan(5)
    }),
  )

  it.effect("the reset on every answer of some servers is no delay of a failure", () =>
    Effect.gen(function* () {
      const reset = { "x-ratelimit-reset": "3600" }
      const { client } = yield* startClient(refusing(1, 503, reset), settings)
      const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(seconds).toBeLessThan(2)
    }),
  )
})

describe("the budget of a call", () => {
  it.effect("begins with its first request: waiting for a turn uses up nothing of it", () =>
    Effect.gen(function* () {
      const met = new Set<string>()
      const { client, server } = yield* startClient(
        ({ url }, response) => {
          if (met.has(url)) return json(response, [])
          met.add(url)
          json(response, { detail: "oops" }, 500)
        },
        { ...settings, retryBudgetSeconds: 10 },
        { maxRequestsPerSecond: 0.1 },
      )
      const calls = Array.from({ length: 5 }, (_, index) =>
        client.call(unrealizedPnl, { vault, limit: index + 1 }),
      )
      const { result, seconds } = yield* turned(Effect.all(calls, { concurrency: "unbounded" }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(10)
      expect(seconds).toBeGreaterThan(80)
    }),
  )

  it.effect("ends for all when everyone has been refused for as long", () =>
    Effect.gen(function* () {
      const refused = refusing(Infinity, 429, { "retry-after": "50" })
      const { client, server } = yield* startClient(refused, settings)
      const calls = Array.from({ length: 60 }, (_, index) =>
        Effect.result(client.call(unrealizedPnl, { vault, limit: index + 1 })),
      )
      const { result, seconds } = yield* turned(Effect.all(calls, { concurrency: "unbounded" }))
      const reasons = Result.getOrThrow(result).map((each) => errorOf(each).reason._tag)
      expect(new Set(reasons)).toEqual(new Set(["RateLimited"]))
      expect(seconds).toBeLessThan(260)
      expect(server.asked.length).toBeLessThan(30)
    }),
  )

  it.effect("a read that is slow by nature is tried again when it timed out", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response, number) => {
          if (number > 1) json(response, [])
        },
        { retryBudgetSeconds: 120 },
      )
      const { result, seconds } = yield* turned(
        client.call(protocolPositions, { subaccount_address: vault }),
      )
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(2)
      expect(seconds).toBeGreaterThanOrEqual(180)
    }),
  )
})

describe("an answer that may be an accident", () => {
  it.effect("cut short: three of them in a row, whatever came before", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        if (number === 1) json(response, {}, 500)
        else if (number === 2) response.writeHead(429).end("{}")
        else if (number === 3) response.writeHead(200).end()
        else json(response, [])
      }, settings)
      const { result } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(4)
    }),
  )

  it.effect("cut short elsewhere each time, it is the way here that loses it", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        if (number < 6) response.writeHead(200).end("[".padEnd(number))
        else json(response, [])
      }, settings)
      const { result } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(6)
    }),
  )

  const tracing = { revert_reasons: [] }
  it.effect.each([
    [500, "Temporary upstream failure"],
    [502, "Bad gateway: no route to RPC"],
    [503, "transaction not found"],
  ] as const)("a %d that explains itself and passes is no absence", ([status, detail]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        if (number < 3) json(response, { detail }, status)
        else json(response, tracing)
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.asked).toHaveLength(3)
    }),
  )

  it.effect("the same explanation three times in a row is believed, whatever it numbers", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        response.setHeader("x-ratelimit-reset", "3600")
        json(response, { detail: `no debug tracing (request ${number})` }, 500)
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "Unsupported" })
      expect(server.asked).toHaveLength(3)
    }),
  )

  it.effect.each([
    ["other words each time", (number: number) => ({ detail: `upstream ${"x".repeat(number)}` })],
    ["words that speak of now", () => ({ detail: "Service temporarily overloaded" })],
    ["no words", () => ({ detail: "Internal Server Error" })],
  ] as const)("%s are believed never", ([, body]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        json(response, body(number), 500)
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "ServerError" })
      expect(server.asked.length).toBeGreaterThan(3)
    }),
  )

  it.live("where nothing is tried again, nothing is believed either", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(
        (_, response) => json(response, { detail: "no debug tracing" }, 500),
        { retryBudgetSeconds: 0 },
      )
      const error = yield* failureOf(client.call(revertReason, transaction))
      expect(error.reason).toEqual({ _tag: "ServerError" })
    }),
  )

  it.effect("an explanation need not be English", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(
        (_, response) => json(response, { detail: "该链的节点不支持调试跟踪" }, 500),
        settings,
      )
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "Unsupported" })
    }),
  )

  it.effect("501 needs no repetition", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response) => json(response, { detail: "not implemented" }, 501),
        settings,
      )
      const before = yield* Clock.currentTimeMillis
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "Unsupported" })
      expect(server.asked).toHaveLength(1)
      expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(2000)
    }),
  )
})
