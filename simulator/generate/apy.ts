// Daily APY as decimal fractions (§2.9), raw and smoothed by a trailing median and mean (§4.1).
import { dayMs, dayOfHour, hourMs } from "../values/calendar.ts"
import { rounded, smooth, unit } from "../values/noise.ts"
import type { Vault, World } from "./world.ts"
import { lastHour } from "./world.ts"

/** A revision restates this many of the newest days. */
const restatedDays = 5

export interface ApySeries {
  readonly days: readonly number[]
  readonly values: readonly number[]
}

const rawApy = (world: World, vault: Vault, day: number): number => {
  const { key } = vault
  const level = 0.02 + 0.12 * unit(key, 30)
  // An occasional spike, which the smoothing removes.
  const spike = unit(key + 31, day) > 0.97 ? 0.4 * unit(key + 32, day) : 0
  const revision = world.revisedHours.findLastIndex((hour) => {
    const revisedDay = Math.floor((hour * hourMs) / dayMs)
    return day <= revisedDay && day > revisedDay - restatedDays
  })
  const restated = revision === -1 ? 0 : 0.0002 + 0.001 * unit(key + 33 + revision, day)
  const drift = 0.5 * smooth(key + 34, day / 60) + 0.15 * smooth(key + 35, day / 4)
  return rounded(level * (1 + drift) + spike + restated, 6)
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const trailing = (
  values: readonly number[],
  window: number,
  combine: (values: readonly number[]) => number,
): readonly number[] =>
  values.map((_, index) => combine(values.slice(Math.max(0, index - window + 1), index + 1)))

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * The newest `daysAgo` days up to today, oldest first; -1 is all of history. The filter runs over
 * all of history before the cut, so a day's value does not depend on how much was requested.
 */
export const apySeries = (
  world: World,
  vault: Vault,
  query: { smoothing: boolean; averagingDays: number; daysAgo: number },
): ApySeries => {
  const last = lastHour(world, vault)
  if (vault.firstHour > last) return { days: [], values: [] }
  const first = dayOfHour(vault.firstHour)
  const days = Array.from({ length: dayOfHour(last) - first + 1 }, (_, index) => first + index)
  const raw = days.map((day) => rawApy(world, vault, day))
  const window = Math.floor(query.averagingDays)
  const values = query.smoothing
    ? trailing(trailing(raw, window, median), window, mean).map((value) => rounded(value, 6))
    : raw
  if (query.daysAgo === -1) return { days, values }
  const oldest = dayOfHour(world.nowHour) - query.daysAgo + 1
  const from = days.findIndex((day) => day >= oldest)
  return from === -1
    ? { days: [], values: [] }
    : { days: days.slice(from), values: values.slice(from) }
}
