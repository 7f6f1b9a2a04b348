// One call against a real server: what is sent, what is retried, what each response becomes.
import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync, zstdDecompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { fees } from "../../src/extract/endpoints/transparency/fees.ts"
import { historicalAllocations } from "../../src/extract/endpoints/transparency/historical_allocations.ts"
import { historicalApyChart } from "../../src/extract/endpoints/transparency/historical_apy_chart.ts"
import { revertReason } from "../../src/extract/endpoints/transparency/revert_reason.ts"
import { unrealizedPnl } from "../../src/extract/endpoints/transparency/unrealized_pnl.ts"
import { unrealizedPnlRatio } from "../../src/extract/endpoints/transparency/unrealized_pnl_ratio.ts"
import { withdrawals } from "../../src/extract/endpoints/vaults/withdrawals.ts"
import { defaultWire } from "../../src/extract/request.ts"
import { folderStore } from "../../src/archive/folderStore.ts"
import { readWholeFrames } from "../../src/archive/readFrames.ts"
import { failureOf, startClient, turned } from "../support/client.ts"
import { json, type Script, scriptedServer } from "../support/servers/scriptedServer.ts"

const vault = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const point = { unrealizedPnl: 1.5, unrealizedPnlInAsset: 2, timestamp: "2026-01-01T00:00:00" }

describe("ApiClient", () => {
  it.live("decodes a response, keeps unknown fields, and archives the body as it came", () =>
    Effect.gen(function* () {
      const { client, directory } = yield* startClient((_, response) => json(response, [point]))
      const response = yield* client.call(unrealizedPnl, { vault, limit: 5 })
      expect(response.value).toEqual([point])
      expect(response.responses).toMatchObject([{ status: 200, endpoint: "unrealized_pnl" }])
      const file = join(directory, "run.ndjson.zst")
      const line = JSON.parse(
        zstdDecompressSync(yield* Effect.promise(() => readFile(file))).toString(),
      )
      expect(line.body).toEqual([point])
    }),
  )

  it.live("archives any body byte for byte", () =>
    Effect.gen(function* () {
      const body = Buffer.from([0xef, 0xbb, 0xbf, 0x5b, 0x22, 0xff, 0x22, 0x5d, 0x0a])
      const { client, directory } = yield* startClient((_, response) => response.end(body))
      yield* failureOf(client.call(unrealizedPnl, { vault }))
      const kept = yield* Effect.promise(async () => {
        const bodies: Array<Buffer | undefined> = []
        for await (const { responses } of readWholeFrames(
          folderStore(directory),
          "run.ndjson.zst",
        )) {
          bodies.push(...responses.map((line) => line.body))
        }
        return bodies
      })
      expect(kept).toEqual([body])
    }),
  )

  it.live("spells requests as configured", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) => json(response, []), {
        wire: {
          ...defaultWire,
          platformSegment: "acme",
          case: "snake",
          names: { vault: "vault_address" },
        },
      })
      yield* client.call(unrealizedPnlRatio, {
        vault,
        startDate: 20_000,
        endDate: 20_001,
        limit: 9,
      })
      expect(server.requests[0]?.url).toBe(
        `/acme/unrealized_pnl?fields=ratio&vault_address=${vault}&start_date=2024-10-04&end_date=2024-10-05&limit=9`,
      )
    }),
  )

  it.live.each([
    { vault: "0x123" },
    { vault: vault.replace("d8dA", "D8dA") },
    { vault, limit: 0 },
    { vault, limit: 1001 },
    { vault, limit: 1.5 },
    { vault, limit: Number.NaN },
  ])("sends nothing for the bad input %j", (inputs) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) => json(response, []))
      const error = yield* failureOf(client.call(unrealizedPnl, inputs))
      expect(error.reason._tag).toBe("InvalidInput")
      expect(error.isRetryable).toBe(false)
      expect(server.requests).toHaveLength(0)
    }),
  )

  it.live("sends the key to the origin and writes it nowhere", () =>
    Effect.gen(function* () {
      const key = "top-secret-key"
      const { client, server, directory } = yield* startClient(
        ({ headers }, response) =>
          json(response, { detail: `who is ${String(headers["x-api-key"])}?` }, 403),
        { apiKey: Redacted.make(key) },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(server.requests[0]?.headers["x-api-key"]).toBe(key)
      expect(error.reason._tag).toBe("Forbidden")
      expect(error.message).toContain("who is <redacted>?")
      expect(JSON.stringify(error)).not.toContain(key)
      for (const file of yield* Effect.promise(() => readdir(directory))) {
        const archived = yield* Effect.promise(() => readFile(join(directory, file)))
        expect(zstdDecompressSync(archived).toString()).not.toContain(key)
      }
    }),
  )

  it.live("follows no redirect, so that the key does not travel", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedServer((_, response) => json(response, []))
      const { client } = yield* startClient(
        (_, response) => response.writeHead(307, { location: `${elsewhere.url}/x` }).end(),
        { apiKey: Redacted.make("k") },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.detail).toContain(elsewhere.url)
      expect(elsewhere.requests).toHaveLength(0)
    }),
  )

  it.live(
    "the error of a redirect within the service names its target and the setting of the path",
    () =>
      Effect.gen(function* () {
        const { client, server } = yield* startClient((_, response) =>
          response.writeHead(308, { location: "/v2/elsewhere?x=1" }).end(),
        )
        const errors = [
          yield* failureOf(client.call(revertReason, { chain: 1, transactionHash: "0x1" })),
          yield* failureOf(client.call(fees, { vault_address: vault, chainId: 1 })),
        ]
        const details = errors.map(({ detail }) => detail)
        for (const detail of details) {
          expect(detail).toContain("to /v2/elsewhere of the same address")
          expect(detail).not.toContain("set the base URL to it")
        }
        expect(details[0]).toMatch(/, check the path of the base URL$/)
        expect(details[1]).toContain("platformSegment")
        expect(server.requests).toHaveLength(2)
      }),
  )

  it.live("the error names the vault, whatever the input is called", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient((_, response) => json(response, {}, 400))
      const error = yield* failureOf(client.call(withdrawals, { chain: 1, vault_address: vault }))
      expect(error.subject).toBe(vault)
      const text = yield* failureOf(client.call(revertReason, { chain: 1, transactionHash: "0x1" }))
      expect(text.subject).toBe("0x1")
    }),
  )

  const flaky: Record<string, Script> = {
    "a 500": (_, response) => json(response, { detail: "oops" }, 500),
    "a 503 with a page": (_, response) => response.writeHead(503).end("<h1>Down</h1>"),
    "a 424": (_, response) => json(response, { detail: "upstream" }, 424),
    "a 429 with Retry-After": (_, response) =>
      response.writeHead(429, { "retry-after": "0.05" }).end("{}"),
    "a dropped connection": (_, response) => response.socket?.destroy(),
    "a cut body": (_, response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write("[", () => response.socket?.destroy())
    },
    "a 408": (_, response) => json(response, { detail: "Request Timeout" }, 408),
    "an empty body": (_, response) => response.writeHead(200).end(),
    "a body that ends after an inner bracket": (_, response) =>
      response.writeHead(200).end(`[${JSON.stringify(point)}`),
    "a body that ends early": (_, response) => response.writeHead(200).end('[{"unrealizedPnl": 1'),
    "a stalled body": (_, response) =>
      response.writeHead(200, { "content-length": "9" }).write("["),
  }
  it.effect.each(Object.entries(flaky))("retries %s", ([, script]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (request, response, number) =>
          number === 1 ? script(request, response, number) : json(response, [point]),
        { requestTimeoutSeconds: 5 },
      )
      const { result } = yield* turned(client.call(unrealizedPnl, { vault }))
      const response = Result.getOrThrow(result)
      expect(response.value).toHaveLength(1)
      expect(response.attempts).toBe(2)
      expect(server.requests).toHaveLength(2)
    }),
  )

  it.live.each([
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [400, "UnexpectedStatus"],
    [418, "UnexpectedStatus"],
  ] as const)("does not retry a %d", ([status, tag]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient(
        (_, response) =>
          json(response, { detail: [{ loc: ["query", "vault"], msg: "is odd" }] }, status),
        { apiKey: Redacted.make("sk-test") },
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason._tag).toBe(tag)
      expect(error.message).toContain("query.vault: is odd")
      expect(server.requests).toHaveLength(1)
    }),
  )

  it.live("distinguishes an unsupported vault from other errors", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient((_, response) =>
        json(response, { detail: "EVM only" }, 422),
      )
      const error = yield* failureOf(
        client.call(historicalAllocations, { vault_address: vault, chainId: 1 }),
      )
      expect(error.reason._tag).toBe("Unsupported")
    }),
  )

  it.live("gives up at once when the server asks to wait longer than the budget", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) =>
        response.writeHead(429, { "retry-after": "3600" }).end("{}"),
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toEqual({ _tag: "RateLimited", delaySeconds: 3600 })
      const second = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(second.reason._tag).toBe("RateLimited")
      expect(server.requests).toHaveLength(1)
    }),
  )

  it.live.each([
    ["[1]", "$", "Expected records"],
    ["{}", "$", "Expected array"],
    ["<html>", "$", "is not JSON"],
    [Buffer.from('[{"name":"caf\xe9"}]', "latin1"), "$", "is not UTF-8"],
  ])("calls %s a violation at %s", ([body, path, detail]) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) =>
        response.writeHead(200).end(body),
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toEqual({ _tag: "ContractViolation", path })
      expect(error.detail).toContain(detail)
      expect(error.responses).toHaveLength(1)
      expect(server.requests).toHaveLength(1)
    }),
  )

  it.live.each(["[{", ""])("calls %j a violation after the third attempt", (body) =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) =>
        response.writeHead(200).end(body),
      )
      const error = yield* failureOf(client.call(unrealizedPnl, { vault }))
      expect(error.reason).toMatchObject({ _tag: "ContractViolation", path: "$" })
      expect(error.detail).toContain("is not JSON")
      expect(server.requests).toHaveLength(3)
      expect(error.responses).toHaveLength(3)
    }),
  )

  it.live.each([
    [{ labels: ["1/2/2026"], values: [0.1] }, [0.1]],
    [{ data: { labels: ["1/2/2026"], values: [0.1] }, status: "ok" }, [0.1]],
    [{ labels: [], values: [] }, []],
  ])("finds the APY series in %j", ([body, values]) =>
    Effect.gen(function* () {
      const { client } = yield* startClient((_, response) => json(response, body))
      const { value } = yield* client.call(historicalApyChart, { vault })
      expect(value.values).toEqual(values)
    }),
  )

  it.live("reads a response that begins with a byte order mark", () =>
    Effect.gen(function* () {
      const { client } = yield* startClient((_, response) =>
        response.writeHead(200).end(`\u{feff}${JSON.stringify([point])}`),
      )
      expect((yield* client.call(unrealizedPnl, { vault })).value).toEqual([point])
    }),
  )

  it.live("requests gzip and reads it", () =>
    Effect.gen(function* () {
      const { client, server } = yield* startClient((_, response) =>
        response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify([point]))),
      )
      expect((yield* client.call(unrealizedPnl, { vault })).value).toEqual([point])
      expect(server.requests[0]?.headers["accept-encoding"]).toContain("gzip")
      expect(server.requests[0]?.headers["traceparent"]).toBeUndefined()
    }),
  )
})
