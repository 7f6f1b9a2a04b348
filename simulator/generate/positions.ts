// The hourly positions snapshot of a vault (§2.9): subaccounts, their holdings, and the buffer.
import { hourMs, iso } from "../values/calendar.ts"
import { protocols } from "./allocations.ts"
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { choose, keyOf, pick, rounded, unit } from "../values/noise.ts"
import { rawAmount } from "../values/amounts.ts"
import { assetPrice } from "./pnl.ts"
import { ratioAt } from "./ratio.ts"
import type { Vault, World } from "./world.ts"
import { lastHour } from "./world.ts"

export const positionsRecord = (
  world: World,
  vault: Vault,
): Record<string, unknown> | undefined => {
  const hour = lastHour(world, vault)
  if (vault.firstHour > hour) return undefined
  // Every field comes from this one instant (§4.1), whether or not it has a ratio point.
  const { actual, onVault } = ratioAt(world, vault, hour)
  const { seed, addressCase, bigIntegers } = world.options
  const count = 1 + pick(vault.key, 60, 4)
  const weights = Array.from({ length: count }, (_, i) => 0.2 + unit(vault.key + 61 + i, hour >> 5))
  const allocatedShare = 0.93 + 0.05 * unit(vault.key + 70, hour)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const subaccounts = weights.map((weight, index) => {
    const usd = rounded((actual * allocatedShare * weight) / total, 2)
    const holdings = 1 + pick(vault.key + 71, index, 3)
    return {
      address: withLetterCase(
        addressOf("evm", seed, "vault", vault.index, "sub", index),
        addressCase,
      ),
      name: `${vault.name} strategy ${index + 1}`,
      total_usd: usd,
      positions: Array.from({ length: holdings }, (_, at) => {
        const value = rounded(usd / holdings, 2)
        const amount = value / assetPrice(vault, hour)
        return {
          protocol: choose(keyOf(vault.key, "holding", index), at, protocols),
          symbol: vault.asset,
          amount: rounded(amount, 8),
          amount_raw: rawAmount(amount, vault.decimals, bigIntegers),
          usd_value: value,
        }
      }),
    }
  })
  return {
    snapshot_at: iso(hour * hourMs),
    vault_address: vault.address,
    chain_id: vault.chainId,
    total_nav: actual,
    reported_tvl: onVault,
    subaccounts,
  }
}
