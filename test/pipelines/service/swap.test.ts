// A swap whose answer never comes: one request, and a journal that says nobody knows.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { readWholeFrames } from "../../../src/archive/readFrames.ts"
import { segmentOfRun } from "../../../src/archive/segments.ts"
import { defaultWire } from "../../../src/extract/request.ts"
import { Warehouse } from "../../../src/load/Warehouse.ts"
import { coreTables } from "../../../src/pipelines/pipelines.ts"
import { archiveOf } from "../../../src/pipelines/publication/archiveOf.ts"
import { endDeadRuns } from "../../../src/pipelines/run/endDeadRuns.ts"
import { checkSwap, sendSwap } from "../../../src/pipelines/service/swap.ts"
import { readSwaps } from "../../../src/pipelines/service/swapJournal.ts"
import { json, scriptedServer } from "../../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { untilSo } from "../../support/until.ts"
import { change, query } from "../../support/warehouseRun.ts"

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

  const hash = `0x${"5A".repeat(32)}`

  it.effect(
    "whose response names its transaction is in the journal with it, and how long it took",
    () =>
      Effect.gen(function* () {
        const server = yield* scriptedServer(async (_, response) => {
          await answered
          json(response, { transaction_hash: hash })
        })
        const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
        const dataDir = yield* temporaryFolder
        const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
        const sending = yield* Effect.forkChild(
          sendSwap({ ...checked, ...swapAt(server.url), dataDir }),
        )
        yield* untilRequested(server.requests)
        yield* TestClock.adjust("90 seconds")
        answer()
        expect(yield* Fiber.join(sending)).toMatchObject({ state: "confirmed", status: 200 })
        expect(yield* readSwaps({ dataDir, memoryLimit: "128MB" })).toMatchObject([
          { state: "confirmed", transactionHash: hash, error: null },
        ])
        expect(yield* query(dataDir, "select requests, seconds from ops.tasks")).toEqual([
          { requests: "1", seconds: 90 },
        ])
      }).pipe(Effect.scoped),
  )

  it.effect.each([
    ["a null in place of the hash", { transaction_hash: null }],
    ["a number in place of the hash", { transaction_hash: 5 }],
    ["an empty hash", { transactionHash: " " }],
    ["nothing but that it failed", { success: false }],
    ["a hash of zeros", { tx: `0x${"0".repeat(64)}` }],
    ["an address", { source_token: { address } }],
    ["a text around a hash", { note: `see ${hash}` }],
  ])("whose response has %s is unknown, and keeps the response", ([, sent]) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((_, response) => json(response, sent))
      const dataDir = yield* temporaryFolder
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      const outcome = yield* sendSwap({ ...checked, ...swapAt(server.url), dataDir })
      expect(outcome).toMatchObject({ state: "unknown", status: 200, response: sent })
      expect(outcome.error).toBe(
        "the response names no transaction hash (§2.11), so the swap may have been executed or not",
      )
      const [kept] = yield* query(
        dataDir,
        "select state, error_tag from core.swaps join raw.responses using (response_id)",
      )
      expect(kept).toEqual({ state: "unknown", error_tag: "ContractViolation" })
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.scoped),
  )

  it.effect.each([
    ["under the declared name", { hash: "0x1" }],
    ["under another name", { result: { legs: [{ executed_in: hash }] } }],
    ["of Solana", { signature: `${"5VERv8NMvzbJ".repeat(7)}4uaT` }],
  ])("whose response has the transaction hash %s is confirmed", ([, sent]) =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((_, response) => json(response, sent))
      const dataDir = yield* temporaryFolder
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      const outcome = yield* sendSwap({ ...checked, ...swapAt(server.url), dataDir })
      expect(outcome).toMatchObject({ state: "confirmed", response: sent, error: null })
    }).pipe(Effect.scoped),
  )

  it.effect("whose result can't be committed is not called committed by the archive", () =>
    Effect.gen(function* () {
      const server = yield* scriptedServer((_, response) => json(response, { hash: "0x1" }))
      const dataDir = yield* temporaryFolder
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      const send = sendSwap({ ...checked, ...swapAt(server.url), dataDir })
      expect(yield* send).toMatchObject({ state: "confirmed", journalError: null })
      // The first swap's task makes that of the second one too many.
      yield* change(dataDir, "create unique index once on ops.tasks (pipeline)")
      const { journalError } = yield* send
      expect(journalError).toContain("Committing rows")
      const [{ run_id } = {}] = yield* query(
        dataDir,
        "select run_id from ops.runs where outcome is null",
      )
      const lines = Effect.promise(async () => {
        const found = { responses: [] as Array<string>, ends: [] as Array<unknown> }
        for await (const frame of readWholeFrames(
          archiveOf({ dataDir }),
          segmentOfRun(String(run_id)),
        )) {
          found.responses.push(...frame.responses.map(({ responseId }) => responseId))
          found.ends.push(...frame.ends)
        }
        return found
      })
      const { responses, ends } = yield* lines
      expect(responses).toHaveLength(1)
      expect(ends).toEqual([])
      yield* endDeadRuns({ dataDir }).pipe(
        Effect.provide(Warehouse.layer({ dataDir, runId: "next", tables: coreTables })),
      )
      expect((yield* lines).ends).toEqual([{ runId: run_id, uncommitted: responses }])
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
