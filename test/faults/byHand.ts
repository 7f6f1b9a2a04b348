// The two rows of the API document that no run reads: a swap is sent by its command, the key is verified by `doctor`.
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../src/extract/request.ts"
import { keyAccess } from "../../src/pipelines/service/keyAccess.ts"
import { checkSwap, sendSwap } from "../../src/pipelines/service/swap.ts"
import { readSwaps } from "../../src/pipelines/service/swapJournal.ts"
import type { Became } from "./outcome.ts"
import { paths } from "../support/simulated.ts"

const typed = {
  source_chain: "1",
  destination_chain: "1",
  source_amount: "2.50",
}

const serviceAt = (baseUrl: string, isWhole: boolean) => ({
  api: {
    baseUrl,
    apiKey: Redacted.make("demo-admin-key"),
    wire: { ...defaultWire, paths },
    requestTimeoutSeconds: isWhole ? 60 : 3600,
    retryBudgetSeconds: 3600,
    maxResponseMegabytes: 10,
  },
  pace: {},
})

/** What a user reads of a swap that met a fault, and what the journal keeps. */
export const swapped = Effect.fnUntraced(function* (
  baseUrl: string,
  dataDir: string,
  subaccount: string,
  tokens: readonly [string, string],
  isWhole: boolean,
) {
  const service = serviceAt(baseUrl, isWhole)
  const checked = yield* Effect.fromResult(
    checkSwap(
      { ...typed, address: subaccount, source_token: tokens[0], destination_token: tokens[1] },
      service.api.wire,
    ),
  )
  const place = { dataDir, memoryLimit: "128MB" }
  const { swapId, state, error } = yield* sendSwap({
    ...checked,
    ...service,
    ...place,
    version: "test",
  })
  const journal = yield* readSwaps(place)
  const entry = journal.find((each) => each.swapId === swapId)
  const problems = [
    ...(entry?.state === state ? [] : [`the journal says ${entry?.state}, not ${state}`]),
    ...(state === "confirmed" || (error ?? "").length > 10 ? [] : [`no reason: ${error}`]),
  ]
  return { outcome: state, reason: error ?? undefined, problems } satisfies Became
})

/** What `doctor` says of the key. */
export const verified = Effect.fnUntraced(function* (baseUrl: string, isWhole: boolean) {
  const table = yield* keyAccess(serviceAt(baseUrl, isWhole), { slow: false })
  const found = table.find(({ endpoint }) => endpoint === "key_verification")
  const access = found?.access ?? "missing"
  const isExplained = access === "allowed" || (found?.detail.length ?? 0) > 5
  return {
    outcome: access,
    reason: found?.detail,
    problems: isExplained ? [] : [`no reason: ${found?.detail}`],
  } satisfies Became
})
