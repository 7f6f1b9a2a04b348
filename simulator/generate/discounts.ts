// Discount-factor ladders (§2.6): how much of a token's value counts as collateral, by size.
import { addressOf, addressKey, withLetterCase } from "../values/addresses.ts"
import { keyOf, rounded, unit } from "../values/noise.ts"
import type { World } from "./world.ts"
import { chains } from "./world.ts"

export interface Ladder {
  readonly address: string
  readonly chain: number
  readonly symbol: string
  readonly rungs: ReadonlyArray<{ readonly up_to_usd: number; readonly discount_factor: number }>
}

const symbols = ["USDC", "USDT", "WETH", "WBTC", "STETH"] as const

export const laddersOf = (world: World): readonly Ladder[] => {
  const { seed, addressCase } = world.options
  return symbols.map((symbol, index) => {
    const top = 0.97 - 0.04 * index - 0.02 * unit(keyOf(seed, "ladder"), index)
    return {
      address: withLetterCase(addressOf("evm", seed, "token", symbol), addressCase),
      chain: chains.ethereum,
      symbol,
      rungs: [1e6, 1e7, 1e8].map((limit, step) => ({
        up_to_usd: limit,
        discount_factor: rounded(top - 0.05 * step, 4),
      })),
    }
  })
}

export const ladderOf = (world: World, chain: number, address: string): Ladder | undefined =>
  laddersOf(world).find(
    (ladder) => ladder.chain === chain && addressKey(ladder.address) === addressKey(address),
  )

/** The factor the ladder gives a USD amount. */
export const factorFor = (ladder: Ladder, usd: number): number =>
  (ladder.rungs.find((rung) => usd <= rung.up_to_usd) ?? ladder.rungs.at(-1)!).discount_factor
