// Swaps of a lake, which several machines send and list: each has a data directory, and a lock, of its own.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../src/extract/request.ts"
import { checkSwap, sendSwap } from "../../src/pipelines/service/swap.ts"
import { readSwaps } from "../../src/pipelines/service/swapJournal.ts"
import { json, scriptedServer } from "../support/servers/scriptedServer.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { HANG_SECONDS, untilSo } from "../support/until.ts"
import { extensions, lake, newLake } from "./lake.ts"

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

describe.skipIf(lake === undefined)("a swap of a lake", () => {
  it.live("is under way to other machines until its process has the response", () =>
    Effect.gen(function* () {
      const hash = `0x${"5A".repeat(32)}`
      const answered = Promise.withResolvers<undefined>()
      const server = yield* scriptedServer(async (_, response) => {
        await answered.promise
        json(response, { transaction_hash: hash })
      })
      const { catalog, data } = yield* newLake
      const place = {
        warehouse: Redacted.make(`ducklake:${catalog}`),
        lake: { data, extensions },
        memoryLimit: "256MB",
      }
      const here = { ...place, dataDir: yield* temporaryFolder }
      const elsewhere = { ...place, dataDir: yield* temporaryFolder }
      const checked = yield* Effect.fromResult(checkSwap(typed, defaultWire))
      const api = {
        baseUrl: server.url,
        apiKey: Redacted.make("sk-live-1618033988"),
        wire: defaultWire,
        requestTimeoutSeconds: HANG_SECONDS,
        retryBudgetSeconds: HANG_SECONDS,
        maxResponseMegabytes: 64,
      }
      const sending = yield* Effect.forkChild(
        sendSwap({ ...checked, ...here, api, pace: {}, version: "test" }),
      )
      yield* untilSo("it is requested", () => server.requests.length > 0)
      expect(yield* readSwaps(elsewhere)).toMatchObject([{ state: "sent", error: null }])
      answered.resolve(undefined)
      const { swapId } = yield* Fiber.join(sending)
      expect(yield* readSwaps(elsewhere)).toMatchObject([
        { swapId, state: "confirmed", transactionHash: hash },
      ])
    }),
  )
})
