// Unrealized PnL snapshots (§2.8): a level in USD and in the vault's asset, every few hours.
import { hourMs, timeWriter } from "../values/calendar.ts"
import { rounded, smooth, unit } from "../values/noise.ts"
import type { Vault, World } from "./world.ts"
import { lastHour } from "./world.ts"

export interface Pnl {
  readonly hour: number
  readonly usd: number
  readonly asset: number
}

/** USD price of one unit of the vault's asset. */
export const assetPrice = (vault: Vault, hour: number): number =>
  vault.asset === "USDC"
    ? 1
    : rounded(2600 * Math.exp(0.3 * smooth(77, hour / 2500) + 0.03 * smooth(78, hour / 40)), 2)

const pnlAt = (world: World, vault: Vault, hour: number): Pnl => {
  const age = hour - world.startHour
  const share =
    (0.06 * unit(vault.key, 20) * age) / 8766 +
    0.01 * smooth(vault.key + 21, age / 700) +
    0.001 * smooth(vault.key + 22, age / 11)
  const usd = rounded(vault.size * share, 2)
  return { hour, usd, asset: rounded(usd / assetPrice(vault, hour), 8) }
}

/** Calls `visit` for every snapshot from the newest down, until it returns false. */
export const eachPnl = (
  world: World,
  vault: Vault,
  visit: (snapshot: Pnl) => boolean | void,
): void => {
  const step = world.options.pnlEveryHours
  const newest = lastHour(world, vault)
  for (let hour = newest - (newest % step); hour >= vault.firstHour; hour -= step) {
    if (visit(pnlAt(world, vault, hour)) === false) return
  }
}

/** The newest `limit` snapshots, newest first. */
export const pnlRecords = (
  world: World,
  vault: Vault,
  limit: number,
): ReadonlyArray<Record<string, unknown>> => {
  const { timeField, pnlTimeField, timeFormat } = world.options
  const write = timeWriter(timeFormat)
  const records: Array<Record<string, unknown>> = []
  eachPnl(world, vault, (snapshot) => {
    records.push({
      [pnlTimeField ?? timeField]: write(snapshot.hour * hourMs),
      vaultAddress: vault.address,
      unrealizedPnl: snapshot.usd,
      unrealizedPnlInAsset: snapshot.asset,
    })
    return records.length < limit
  })
  return records
}
