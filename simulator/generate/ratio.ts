// Hourly ratio points (§2.9): backing, supply and collateral ratio of a vault at one hour.
import { hourMs, timeWriter } from "../values/calendar.ts"
import { rounded, smooth, unit } from "../values/noise.ts"
import type { Vault, World } from "./world.ts"
import { lastHour } from "./world.ts"

/** A revision restates this many hours before `now`; late hours are missing for as long. */
const restatedHours = 36
const lateEvery = 11

export interface Ratio {
  readonly hour: number
  readonly actual: number
  readonly onVault: number
  readonly adjusted: number
}

/** The newest revision that restated this hour, or 0. */
const revisionOf = (world: World, hour: number): number => {
  for (let index = world.revisedHours.length - 1; index >= 0; index -= 1) {
    const at = world.revisedHours[index]!
    if (hour <= at && hour > at - restatedHours) return index + 1
  }
  return 0
}

/** A few hours arrive late: with the next revision, or once they are 36 hours old. */
const isLate = (world: World, vault: Vault, hour: number): boolean =>
  hour > world.nowHour - restatedHours &&
  hour < world.nowHour &&
  (hour + vault.index) % lateEvery === 0 &&
  hour > (world.revisedHours.at(-1) ?? -Infinity)

const hasRatio = (world: World, vault: Vault, hour: number): boolean =>
  hour >= vault.firstHour &&
  hour <= lastHour(world, vault) &&
  !vault.holes.some((hole) => hour >= hole.from && hour < hole.to) &&
  !isLate(world, vault, hour)

/** The ratio point of an hour. */
export const ratioAt = (world: World, vault: Vault, hour: number): Ratio => {
  const { key } = vault
  const age = hour - world.startHour
  const growth = (age / 8766) * (unit(key, 10) - 0.2)
  const swing = 0.2 * smooth(key + 1, age / 2100) + 0.04 * smooth(key + 2, age / 170)
  const hourly = 0.006 * smooth(key + 3, age / 9)
  const revision = revisionOf(world, hour)
  const restated = revision === 0 ? 0 : 0.0005 * (unit(key + 7 + revision, hour) + 0.1)
  const actual = rounded(vault.size * Math.exp(growth + swing + hourly + restated), 2)
  const cushion = 0.004 * smooth(key + 4, age / 500) + 0.0006 * smooth(key + 5, age / 13)
  const onVault = rounded(actual / (1.002 + cushion), 2)
  return { hour, actual, onVault, adjusted: rounded(actual / onVault, 8) }
}

/** Calls `visit` for every point from the newest hour down, until it returns false. */
export const eachRatio = (
  world: World,
  vault: Vault,
  from: number,
  to: number,
  visit: (point: Ratio) => boolean | void,
): void => {
  const oldest = Math.max(from, vault.firstHour)
  for (let hour = Math.min(to, lastHour(world, vault)); hour >= oldest; hour -= 1) {
    if (!hasRatio(world, vault, hour)) continue
    if (visit(ratioAt(world, vault, hour)) === false) return
  }
}

/** The newest `limit` points between two hours, newest first. */
export const ratioRecords = (
  world: World,
  vault: Vault,
  from: number,
  to: number,
  limit: number,
): ReadonlyArray<Record<string, unknown>> => {
  const { timeField, timeFormat } = world.options
  const write = timeWriter(timeFormat)
  const records: Array<Record<string, unknown>> = []
  eachRatio(world, vault, from, to, (point) => {
    records.push({
      [timeField]: write(point.hour * hourMs),
      actual_tvl: point.actual,
      tvl_on_vault: point.onVault,
      adjusted_redeem_ratio: point.adjusted,
    })
    return records.length < limit
  })
  return records
}
