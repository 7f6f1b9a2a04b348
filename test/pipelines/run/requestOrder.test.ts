// The order of a run's requests: what other pipelines wait for is not behind long histories.
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { asAdmin, simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"

const VAULTS = 12

describe("requests", () => {
  it.live("that other pipelines wait for go before those of long tasks", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 365, vaults: VAULTS })
      const { summary } = yield* runOnce(simulator.url, yield* temporaryFolder, {
        pipelines: ["ratio_history", "health_factors"],
        api: asAdmin,
        pace: { concurrency: 1 },
      })
      expect(summary.outcome).toBe("complete")
      const sent = simulator.requests().last.map(({ url }) => url)
      const isRatio = (url: string): boolean => url.includes("/unrealized_pnl")
      const awaited = sent.findIndex((url) => url.includes("/curator/"))
      expect(awaited).toBeGreaterThan(-1)
      // The first page of some vaults, which was sent before there was anything else to send, but not of all.
      expect(sent.slice(0, awaited).filter(isRatio).length).toBeLessThan(VAULTS)
    }),
  )
})
