// A small data directory with a published copy, for attacks on what reads it; call it once a file.
import * as Effect from "effect/Effect"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { runOnce } from "../support/warehouseRun.ts"

export const smallWarehouse = () =>
  sharedWarehouse((dataDir) =>
    Effect.gen(function* () {
      const { url } = yield* simulated({ vaults: 1, days: 2, now: "2026-06-01T12:00:00Z" })
      const pipelines = ["vaults", "ratio_history"]
      yield* runOnce(url, dataDir, { api: asAdmin, pipelines, publish: { parquet: undefined } })
    }),
  )
