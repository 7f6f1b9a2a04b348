// When a call is retried, after how long, and when it is given up, with a real server and a clock the test adjusts.
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ApiError } from "../../src/domain/wire/errors.ts"
import { revertReason } from "../../src/extract/endpoints/transparency/revert_reason.ts"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { protocolPositions } from "../../src/extract/endpoints/subaccounts/protocol_positions.ts"
import type { ApiClient } from "../../src/extract/ApiClient.ts"
import { failureOf, startClient, turned } from "../support/client.ts"
import { json, type Script } from "../support/servers/scriptedServer.ts"
import { HANG_SECONDS } from "../support/until.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const settings = { retryBudgetSeconds: 120 }
const transaction = { chain: 1, transactionHash: "0xab" }
const tracing = { revert_reasons: [] }

type Headers = Readonly<Record<string, string>>

/** Refuses the first `times` requests, then responds. */
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

describe("a call that fails", () => {
  it.effect.each([429, 503, 500, 424])("%d with Retry-After waits as long as it says", (status) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        refusing(1, status, { "retry-after": "30" }),
        settings,
      )
      const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.requests).toHaveLength(2)
      expect(seconds).toBeGreaterThanOrEqual(30)
      expect(seconds).toBeLessThan(55)
    }),
  )

  it.effect.each([429, 503, 424])(
    "%d with a Retry-After beyond the budget is deferred at once",
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
        expect(error.detail).toMatch(
          /^no; the service asks to wait 60 min, longer than the 2 min that a run waits$/,
        )
        expect(server.requests).toHaveLength(1)
        expect(seconds).toBeLessThan(60)
      }),
  )

  it.effect("429 after 429 says, once the run's time for waiting is over, that it is", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(refusing(99, 429, { "retry-after": "25" }), settings)
      const { result } = yield* turned(client.call(unrealizedPnl, { vault }))
      const error = errorOf(result)
      expect(error.reason).toEqual({ _tag: "RateLimited", delaySeconds: 25 })
      expect(error.detail).toBe(
        "no; the service asks to wait 25 s more, and the 2 min that a run waits are over",
      )
    }),
  )

  // An hour and a half, of which a response from loopback may take minutes.
  const DELAY = 6000
  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds
  it.live.each([
    ["x-ratelimit-reset", "epoch milliseconds", (): unknown => inSeconds(DELAY) * 1000],
    ["x-ratelimit-reset", "epoch seconds", (): unknown => inSeconds(DELAY)],
    ["x-ratelimit-reset", "seconds", (): unknown => DELAY],
    ["ratelimit-reset", "seconds", (): unknown => DELAY],
    ["x-ratelimit-reset", "a date", (): unknown => new Date(inSeconds(DELAY) * 1000).toISOString()],
    ["retry-after", "a date", (): unknown => new Date(inSeconds(DELAY) * 1000).toUTCString()],
  ] as const)("a 429 with %s as %s waits as many seconds", ([header, , value]) =>
    Effect.gen(function* () {
      const { client } = yield* startClient(refusing(9, 429, { [header]: String(value()) }))
      const { reason } = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(reason._tag).toBe("RateLimited")
      const { delaySeconds } = reason as { readonly delaySeconds?: number }
      expect(delaySeconds).toBeGreaterThan(DELAY - HANG_SECONDS)
      expect(delaySeconds).toBeLessThanOrEqual(DELAY)
    }),
  )

  it.effect.each([
    { "retry-after": "0" },
    { "retry-after": new Date(0).toUTCString() },
    { "retry-after": "soon" },
    { "retry-after": "" },
    { "x-ratelimit-reset": "0" },
    { "retry-after": "0.01" },
  ])("a delay that is over, %j, leaves the backoff: ten attempts take time", (headers) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(refusing(20, 503, headers), {
        ...settings,
        retryBudgetSeconds: 1000,
      })
      const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(errorOf(result).reason._tag).toBe("ServerError")
      expect(server.requests).toHaveLength(10)
      expect(seconds).toBeGreaterThan(5)
    }),
  )

  it.effect(
    "a rate limit's reset, which some servers send with every response, does not delay a server error",
    () =>
      Effect.gen(function* () {
        const reset = { "x-ratelimit-reset": "3600" }
        const { client } = yield* startClient(refusing(1, 503, reset), settings)
        const { result, seconds } = yield* turned(client.call(unrealizedPnl, { vault }))
        expect(Result.isSuccess(result)).toBe(true)
        expect(seconds).toBeLessThan(60)
      }),
  )
})

describe("the budget of a call", () => {
  it.effect("begins with its first request: waiting for a turn does not use it up", () =>
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
      expect(server.requests).toHaveLength(10)
      expect(seconds).toBeGreaterThan(80)
    }),
  )

  it.effect("ends for all calls together when all are rate-limited", () =>
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
      expect(server.requests.length).toBeLessThan(30)
    }),
  )

  it.effect("a read that is slow by nature is retried after a timeout", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response, number) => {
          if (number > 1) json(response, [])
        },
        { ...settings, requestTimeoutSeconds: 1 },
      )
      const { result, seconds } = yield* turned(
        client.call(protocolPositions, { subaccount_address: vault }),
      )
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.requests).toHaveLength(2)
      expect(seconds).toBeGreaterThanOrEqual(180)
    }),
  )
})

describe("a response that may be a glitch", () => {
  it.effect("cut short: three in a row are a violation, whatever came before", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        if (number === 1) json(response, {}, 500)
        else if (number === 2) response.writeHead(429).end("{}")
        else if (number === 3) response.writeHead(200).end()
        else json(response, [])
      }, settings)
      const { result } = yield* turned(client.call(unrealizedPnl, { vault }))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.requests).toHaveLength(4)
    }),
  )

  it.effect.each([
    [500, "Temporary upstream failure"],
    [502, "Bad gateway: no route to RPC"],
    [503, "transaction not found"],
  ] as const)("a %d with an explanation that passes is no absence", ([status, detail]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        if (number < 3) json(response, { detail }, status)
        else json(response, tracing)
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(Result.isSuccess(result)).toBe(true)
      expect(server.requests).toHaveLength(3)
    }),
  )

  it.effect("an explanation three times in a row is an absence", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response, number) => {
        response.setHeader("x-ratelimit-reset", "3600")
        json(response, { detail: `no debug tracing (request ${number})` }, 500)
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "Unsupported" })
      expect(server.requests).toHaveLength(3)
    }),
  )

  it.effect.each([
    ["without an explanation", { detail: "Internal Server Error" }, {}],
    ["with a page", "<h1>Oops</h1>", {}],
    ["with a Retry-After", { detail: "no debug tracing" }, { "retry-after": "1" }],
  ] as const)("a server error %s is never an absence", ([, body, headers]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        response.writeHead(500).end(typeof body === "string" ? body : JSON.stringify(body))
      }, settings)
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "ServerError" })
      expect(server.requests.length).toBeGreaterThan(3)
    }),
  )

  it.live("without retries there is no absence either", () =>
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

  it.effect("a 501 is one at once", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response) => json(response, { detail: "not implemented" }, 501),
        settings,
      )
      const before = yield* Clock.currentTimeMillis
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(errorOf(result).reason).toEqual({ _tag: "Unsupported" })
      expect(server.requests).toHaveLength(1)
      expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(2000)
    }),
  )
})

describe("a service that fails every request", () => {
  const call = (client: ApiClient["Service"], limit: number) =>
    Effect.result(client.call(unrealizedPnl, { vault, limit }))
  const many = (client: ApiClient["Service"]) =>
    Effect.all(
      Array.from({ length: 300 }, (_, index) => call(client, index + 1)),
      { concurrency: 48 },
    )

  it.effect("gets a probe now and then; all other calls fail fast", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(refusing(Infinity, 503), settings)
      const { result, seconds } = yield* turned(many(client))
      const errors = Result.getOrThrow(result).map(errorOf)
      expect(new Set(errors.map(({ reason }) => reason._tag))).toEqual(new Set(["ServerError"]))
      expect(server.requests.length).toBeLessThan(120)
      expect(seconds).toBeLessThan(400)
      // The same sentence for every unsent request, so that a summary can say it once.
      const unsent = errors.filter(({ detail }) => detail.startsWith("not sent: "))
      expect(unsent.length).toBeGreaterThan(200)
      expect(new Set(unsent.map(({ problem }) => problem)).size).toBe(1)
      expect(unsent[0]?.problem).toMatch(
        /since \d\d:\d\d:\d\d UTC: Service Unavailable \(HTTP 503\)$/,
      )
    }),
  )

  it.effect("for a while only: every call succeeds in the end", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(refusing(40, 503), settings)
      const { result } = yield* turned(many(client))
      expect(Result.getOrThrow(result).every(Result.isSuccess)).toBe(true)
      expect(server.requests.length).toBeLessThan(450)
    }),
  )

  it.effect("of one endpoint only: other endpoints still get theirs", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(({ url }, response) => {
        if (url.startsWith("/revert_reason")) json(response, tracing)
        else json(response, { detail: "no" }, 503)
      }, settings)
      yield* turned(many(client))
      const { result } = yield* turned(client.call(revertReason, transaction))
      expect(Result.isSuccess(result)).toBe(true)
    }),
  )

  it.effect("because it does not exist is given up within seconds", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient(refusing(0, 200), {
        ...settings,
        baseUrl: "http://127.0.0.1:9",
      })
      const { result, seconds } = yield* turned(many(client))
      const errors = Result.getOrThrow(result).map(errorOf)
      expect(errors.every(({ detail }) => detail.includes("ECONNREFUSED"))).toBe(true)
      expect(seconds).toBeLessThan(30)
    }),
  )
})

describe("all calls of a run", () => {
  const failing: Script = (_, response) => json(response, { detail: "no price" }, 424)
  const calls = (client: ApiClient["Service"], count: number) =>
    Effect.all(
      Array.from({ length: count }, () => Effect.result(client.call(unrealizedPnl, { vault }))),
    )

  it.effect("wait no longer for another attempt than the run may, one after another too", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(failing, {
        ...settings,
        retryWaitSeconds: 20,
      })
      const { result, seconds } = yield* turned(calls(client, 5))
      const errors = Result.getOrThrow(result).map(errorOf)
      expect(seconds).toBeLessThan(25)
      expect(errors.at(-1)).toMatchObject({ attempts: 1, status: 424 })
      expect(errors.at(-1)?.detail).toBe(
        "no price; not retried, because the run has waited 20 s for retries alone (retryWait)",
      )
      expect(server.requests.length).toBeLessThan(20)
    }),
  )

  it.effect("have something done once in a long wait, whose time does not count", () =>
    Effect.gen(function* () {
      const doneAt: Array<number> = []
      const startedAt = yield* Clock.currentTimeMillis
      const onLongWait = Effect.gen(function* () {
        doneAt.push(((yield* Clock.currentTimeMillis) - startedAt) / 1000)
        yield* Effect.sleep("100 seconds")
      })
      const { client } = yield* startClient(failing, {
        ...settings,
        retryWaitSeconds: 20,
        onLongWait,
      })
      const { result, seconds } = yield* turned(calls(client, 5))
      expect(Result.getOrThrow(result).every(Result.isFailure)).toBe(true)
      expect(doneAt.length).toBe(1)
      expect(doneAt[0]).toBeGreaterThanOrEqual(10)
      expect(doneAt[0]).toBeLessThan(12)
      expect(seconds).toBeGreaterThan(110)
      expect(seconds).toBeLessThan(125)
    }),
  )

  it.effect.each([2, 3])("may wait again once attempt %i has helped", (helpful) =>
    Effect.gen(function* () {
      const { client } = yield* startClient(
        (_, response, number) => {
          const isRefused = number % helpful !== 0
          if (isRefused) response.setHeader("retry-after", "3")
          json(response, isRefused ? { detail: "no" } : [], isRefused ? 503 : 200)
        },
        { ...settings, retryWaitSeconds: 10 },
      )
      const { result, seconds } = yield* turned(calls(client, 8))
      expect(Result.getOrThrow(result).filter(Result.isFailure)).toEqual([])
      expect(seconds).toBeGreaterThan(8 * 3 * (helpful - 1) - 1)
    }),
  )
})
