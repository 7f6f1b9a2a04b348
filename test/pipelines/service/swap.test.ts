// A swap whose answer never comes: one request, and a journal that says nobody knows.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { defaultWire } from "../../../src/extract/request.ts"
import { checkSwap, sendSwap } from "../../../src/pipelines/service/swap.ts"
import { readSwaps } from "../../../src/pipelines/service/swapJournal.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"

const address = "0x4a19a4070465451cf25334292482496813a8a76c"
const typed = {
  address,
  source_token: address,
  source_chain: "1",
  destination_token: address,
  destination_chain: "1",
  destination_amount: "2.50",
  markets: "odos, cow",
}

const untilRequested = (requests: ReadonlyArray<unknown>) =>
  untilSo("it is requested", () => requests.length > 0)

const swapAt = (url: string) => ({
  api: {
    baseUrl: url,
    apiKey: Redacted.make("sk-live-1618033988"),
    wire: defaultWire,
    requestTimeoutSeconds: 30,
    retryBudgetSeconds: 3600,
    maxResponseMegabytes: 64,
  },
  pace: {},
  memoryLimit: "128MB",
  version: "test",
})

describe("a swap", () => {
  it.effect("whose response has no fields is unknown, and in the journal", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((_, response) => json(response, {}))
      const dataDir = yield* temporaryFolder
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      const outcome = yield* sendSwap({ ...checked, ...swapAt(server.url), dataDir })
      expect(outcome).toMatchObject({ state: "unknown", status: 200, journalError: null })
      expect(outcome.error).toContain("the response has no fields")
      expect(yield* readSwaps({ dataDir, memoryLimit: "128MB" })).toMatchObject([
        { swapId: outcome.swapId, state: "unknown", status: 200 },
      ])
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.scoped),
  )

  it.effect("that has no response in time is sent once and reported as unknown", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer(() => undefined)
      const dataDir = yield* temporaryFolder
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      expect(JSON.parse(checked.request.body ?? "")).toEqual({
        source_token: address,
        source_chain: 1,
        destination_token: address,
        destination_chain: 1,
        destination_amount: 2.5,
        markets: ["odos", "cow"],
      })
      const sending = yield* Effect.forkChild(
        sendSwap({
          ...checked,
          ...swapAt(server.url),
          dataDir,
        }),
      )
      yield* untilRequested(server.requests)
      yield* TestClock.adjust("2 hours")
      const outcome = yield* Fiber.join(sending)
      expect(outcome).toMatchObject({ state: "unknown", status: null, journalError: null })
      expect(outcome.error).toContain("no complete response within 180 s")
      expect(server.requests).toHaveLength(1)
      expect(yield* readSwaps({ dataDir, memoryLimit: "128MB" })).toMatchObject([
        { swapId: outcome.swapId, state: "unknown", status: null, request: { source_chain: 1 } },
      ])
      yield* TestClock.adjust("2 hours")
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.scoped),
  )
})
