// Daily allocation of a vault over protocols (§2.9, "daily, per protocol"): one row for each.
import { dayOfHour } from "../values/calendar.ts"
import { rounded, smooth, unit } from "../values/noise.ts"
import { ratioAt } from "./ratio.ts"
import type { Vault, World } from "./world.ts"
import { lastHour } from "./world.ts"

export const protocols = ["Aave", "Morpho", "Pendle", "Fluid", "Euler", "Curve", "Spark"] as const

export interface Allocation {
  readonly day: number
  readonly protocol: string
  readonly usd: number
  readonly pct: number
}

/** The rows of one day, empty outside the vault's history. A protocol may come and go. */
export const allocationsOn = (world: World, vault: Vault, day: number): readonly Allocation[] => {
  const last = lastHour(world, vault)
  if (vault.firstHour > last || day < dayOfHour(vault.firstHour) || day > dayOfHour(last)) return []
  const weights = protocols.map((_, index) => {
    if (index === 0) return 1
    if (unit(vault.key, 40 + index) < 0.4) return 0
    return Math.max(0, 0.3 + smooth(vault.key + 50 + index, day / 45))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const nav = ratioAt(world, vault, Math.max(day * 24, vault.firstHour)).actual
  return protocols.flatMap((protocol, index) => {
    const share = weights[index]! / total
    if (share === 0) return []
    return { day, protocol, usd: rounded(nav * share, 2), pct: rounded(share * 100, 4) }
  })
}

/** First and last day of a vault's allocations. */
export const allocationDays = (world: World, vault: Vault): { first: number; last: number } => ({
  first: dayOfHour(vault.firstHour),
  last: dayOfHour(lastHour(world, vault)),
})
