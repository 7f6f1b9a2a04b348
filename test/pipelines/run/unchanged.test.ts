// A service whose facts stand still: what a second run adds to the warehouse, with and without a key.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { defaultWire } from "../../../src/extract/request.ts"
import { parseDay } from "../../../src/domain/values/time.ts"
import { defaultParquet } from "../../../src/load/published/parquet/parquetFile.ts"
import { pipelineNames, tables } from "../../../src/pipelines/catalog.ts"
import type { PipelineSummary, RunSummary } from "../../../src/pipelines/model/progress.ts"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { letAnHourPass, query, runOnce } from "../../support/warehouseRun.ts"

// Without the caches of §8 every response is made anew, and says when.
const still = {
  now: "2026-06-01T12:00:00Z",
  days: 10,
  vaults: 2,
  subaccounts: 6,
  serverCaches: false,
}

/** Every reading of these is a new row: its time is part of the key, as the document says. */
const alwaysNew = ["health_factors"]

/** Why a transaction failed never changes. */
const isRequestedAgain = (name: string): boolean => name !== "revert_reasons"

const paths = {
  cefiPositions: "/subaccount/{address}/cefi_positions",
  subaccountOtcPositions: "/subaccount/{address}/otc_positions",
  subaccountLoans: "/subaccount/{address}/loans",
}

const counts = (dataDir: string) =>
  Effect.map(
    query(
      dataDir,
      tables
        .filter(({ schema }) => schema === "core")
        .map(({ name }) => `select '${name}' as name, count(*)::integer as n from core.${name}`)
        .join(" union all "),
    ),
    (rows) => new Map(rows.map((row) => [String(row["name"]), Number(row["n"])])),
  )

/** Pipelines of which a task ended so, in order. */
const namesOf = (summary: RunSummary, ...of: ReadonlyArray<keyof PipelineSummary["outcomes"]>) =>
  summary.pipelines
    .filter(({ outcomes }) => of.some((outcome) => outcomes[outcome] !== undefined))
    .map(({ name }) => name)
    .toSorted()

interface Ladder {
  readonly chain: number
  readonly address: string
}

describe("a second run over facts that stand still", () => {
  it.live("with a key reads everything again, and adds nothing but new readings", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(still)
      const dataDir = yield* temporaryFolder
      const [token] = yield* Effect.promise(async () => {
        const ladders = await fetch(`${simulator.url}/risk/discount_factors`, {
          headers: { "x-api-key": Redacted.value(asAdmin.apiKey) },
        })
        return (await ladders.json()) as ReadonlyArray<Ladder>
      })
      const inputs = {
        loan_token_chain: token?.chain,
        loan_token_address: token?.address,
        loan_amount: 1_000_000,
        on_platform: false,
        collateral_tokens: [[token?.chain, token?.address]],
        collateral_token_allocation: [1],
      }
      const may = { start: parseDay("2026-05-01") ?? 0, end: parseDay("2026-05-31") ?? 0 }
      const sync = runOnce(simulator.url, dataDir, {
        api: { ...asAdmin, wire: { ...defaultWire, paths } },
        settings: { scenarios: [{ name: "a loan", inputs }], performanceFeeRanges: [may] },
      })
      const first = yield* sync
      expect(first.summary.outcome).toBe("complete")
      const before = yield* counts(dataDir)
      yield* letAnHourPass(dataDir)

      const { summary } = yield* sync
      expect(summary.outcome).toBe("complete")
      expect(namesOf(summary, "loaded")).toEqual(alwaysNew)
      // Each was requested again, and nothing had changed.
      const found = namesOf(summary, "unchanged", "loaded")
      expect(found).toEqual(namesOf(first.summary, "loaded").filter(isRequestedAgain))
      expect(found).toEqual(pipelineNames.filter(isRequestedAgain).toSorted())
      const after = yield* counts(dataDir)
      const grown = [...after].filter(([name, n]) => n !== before.get(name)).map(([name]) => name)
      expect(grown).toEqual(alwaysNew)
    }),
  )

  it.live("without a key says that there is nothing new, and publishes nothing", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated(still)
      const dataDir = yield* temporaryFolder
      const sync = runOnce(simulator.url, dataDir, { publish: { parquet: defaultParquet } })
      expect((yield* sync).summary).toMatchObject({ nothingNew: false, published: true })
      const before = yield* counts(dataDir)
      yield* letAnHourPass(dataDir)
      const { summary } = yield* sync
      expect(summary).toMatchObject({ outcome: "complete", nothingNew: true, published: false })
      expect(yield* counts(dataDir)).toEqual(before)
    }),
  )
})
