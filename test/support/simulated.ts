// A simulated platform for a test, and the truth that a complete export must match.
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import {
  type Listen,
  type OptionsPatch,
  type Simulator,
  startSimulator,
} from "../../simulator/index.ts"
import { query } from "./warehouseRun.ts"

/** The simulator's admin key, as `api` of a run. */
export const asAdmin = { apiKey: Redacted.make("demo-admin-key") }

/** Lives as long as the scope. No endpoint is slow unless the test wants it to be. */
export const simulated = (options: OptionsPatch, listen: Listen = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startSimulator({ slowReadMs: 0, ...options }, listen)),
    (simulator) => Effect.promise(() => simulator.close()),
  )

const figures = `
  select v.vault_address,
    (select count(*) from core.ratio_history r where r.vault_address = v.vault_address) as ratio,
    (select sum(actual_tvl) from core.ratio_history r where r.vault_address = v.vault_address) as actual_tvl,
    (select sum(adjusted_redeem_ratio) from core.ratio_history r where r.vault_address = v.vault_address) as redeem_ratio,
    (select count(*) from core.pnl_history p where p.vault_address = v.vault_address) as pnl,
    (select sum(unrealized_pnl) from core.pnl_history p where p.vault_address = v.vault_address) as unrealized_pnl,
    (select count(*) from core.apy_history a where a.vault_address = v.vault_address and a.is_smoothed) as smoothed,
    (select sum(apy) from core.apy_history a where a.vault_address = v.vault_address and a.is_smoothed) as smoothed_sum,
    (select sum(apy) from core.apy_history a where a.vault_address = v.vault_address and not a.is_smoothed) as raw_sum,
    (select count(*) from core.allocation_history h where h.vault_address = v.vault_address) as allocations,
    (select sum(value) from core.allocation_history h where h.vault_address = v.vault_address) as allocated
  from core.vaults v where v.is_current`

/** Compares every vault's counts and sums with the simulator's truth. */
export const expectTruth = Effect.fnUntraced(function* (simulator: Simulator, dataDir: string) {
  const rows = yield* query(dataDir, figures)
  const { vaults } = simulator.truth
  expect(rows).toHaveLength(vaults.length)
  for (const vault of vaults) {
    const address = vault.kind === "evm" ? vault.address.toLowerCase() : vault.address
    const row = rows.find((each) => each["vault_address"] === address)
    const counts = {
      ratio: vault.ratio.n,
      pnl: vault.pnl.reachable.n,
      smoothed: vault.apy.smoothed.n,
      allocations: vault.allocations.n,
    }
    for (const [name, count] of Object.entries(counts)) {
      expect(Number(row?.[name]), `${name} of ${address}`).toBe(count)
    }
    const sums = {
      actual_tvl: vault.ratio.actualTvl,
      redeem_ratio: vault.ratio.adjustedRedeemRatio,
      unrealized_pnl: vault.pnl.reachable.unrealizedPnl,
      smoothed_sum: vault.apy.smoothed.sum,
      raw_sum: vault.apy.raw.sum,
      allocated: vault.allocations.sum,
    }
    for (const [name, sum] of Object.entries(sums)) {
      const found = Number(row?.[name] ?? 0)
      // Sums of doubles in another order differ in their last digits.
      expect(Math.abs(found - sum), `${name} of ${address}`).toBeLessThanOrEqual(
        1e-9 * Math.max(1, Math.abs(sum)),
      )
    }
  }
})

const compared = [
  "core.vaults",
  ...["ratio_history", "pnl_history", "apy_history", "allocation_history"].flatMap((table) => [
    `core.${table}`,
    `core.${table}_versions`,
  ]),
]

/** Vaults and the four histories with their versions, housekeeping included, as one number for each table. */
export const fingerprint = (dataDir: string) =>
  query(
    dataDir,
    compared
      .map(
        (table) =>
          `select '${table}' as name, count(*) as rows, bit_xor(hash(t))::varchar as content from ${table} t`,
      )
      .join(" union all "),
  )

/** Where the simulator has what the API document gives no path of. */
export const paths = {
  cefiPositions: "/subaccount/{address}/cefi_positions",
  subaccountOtcPositions: "/subaccount/{address}/otc_positions",
  subaccountLoans: "/subaccount/{address}/loans",
  keyVerification: "/auth/verify",
}
