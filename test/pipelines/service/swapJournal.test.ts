// What the journal says of swaps, whatever became of the process that sent them.
import { readdirSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readSwaps } from "../../../src/pipelines/service/swapJournal.ts"
import { type SwapRecord, swapRows, swaps } from "../../../src/transform/tables/swaps/swaps.ts"
import { batchOf, commit, inWarehouse } from "../../load/sample.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const sent: SwapRecord = {
  swapId: "first",
  subaccountAddress: `0x${"1".repeat(40)}`,
  requestedAt: Date.parse("2026-06-01T12:00:00Z") * 1000,
  completedAt: null,
  state: "sent",
  status: null,
  request: '{"source_chain":1}',
  responseId: null,
  errorTag: null,
  errorText: null,
  response: {},
}
const later = (swapId: string, minutes: number, more: Partial<SwapRecord>): SwapRecord => ({
  ...sent,
  swapId,
  requestedAt: sent.requestedAt + minutes * 60_000_000,
  ...more,
})

it.live("no warehouse has no swaps, and reading them makes none", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    expect(yield* readSwaps({ dataDir, memoryLimit: "128MB" })).toEqual([])
    expect(readdirSync(dataDir)).toEqual([])
  }),
)

it.live("the newest comes first, and one whose result is missing is of unknown result", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const hash = `0x${"5a".repeat(32)}`
    const records = [
      sent,
      later("refused", 1, { state: "refused", status: 422, errorText: "no such token" }),
      later("confirmed", 2, {
        state: "confirmed",
        status: 200,
        response: { transaction_hash: hash },
      }),
    ]
    const work = commit(batchOf(records.map(swapRows)))
    yield* inWarehouse(dataDir, work, { tables: [swaps] })
    const common = {
      subaccount: sent.subaccountAddress,
      request: { source_chain: 1 },
      requestedAt: expect.stringMatching(/^2026-06-01.12:0/),
    }
    expect(yield* readSwaps({ dataDir, memoryLimit: "128MB" })).toEqual([
      {
        ...common,
        swapId: "confirmed",
        state: "confirmed",
        status: 200,
        transactionHash: hash,
        error: null,
      },
      {
        ...common,
        swapId: "refused",
        state: "refused",
        status: 422,
        transactionHash: null,
        error: "no such token",
      },
      {
        ...common,
        swapId: "first",
        state: "unknown",
        status: null,
        transactionHash: null,
        error: "the process ended before a response was recorded",
      },
    ])
  }),
)
