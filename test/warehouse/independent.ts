// Figures of the marts worked out a second time, in plain TypeScript from the service's own answers: no SQL, and
// nothing of src/.

export interface RatioPoint {
  readonly timestamp: string
  readonly actual_tvl: number
  readonly tvl_on_vault: number
  readonly adjusted_redeem_ratio: number
}

export interface PnlSnapshot {
  readonly timestamp: string
  readonly unrealizedPnl: number
  readonly unrealizedPnlInAsset: number
}

export interface AllocationPoint {
  readonly date: string
  readonly protocol: string
  readonly value_usd: number
}

/** Value by day, YYYY-MM-DD, oldest first. */
export type Days = ReadonlyMap<string, number>

const DAY_MS = 86_400_000

export const shifted = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

export const dayOf = (timestamp: string): string => timestamp.slice(0, 10)

/** The chart's labels are M/D/YYYY. */
export const apyDays = (labels: ReadonlyArray<string>, values: ReadonlyArray<number>): Days =>
  new Map(
    labels.map((label, at) => {
      const [month = "", day = "", year = ""] = label.split("/")
      return [`${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`, values[at] ?? NaN]
    }),
  )

export interface Bar {
  readonly open: number
  readonly low: number
  readonly high: number
  readonly close: number
}

/** Open, low, high and close of each UTC day, of points in any order. */
export const dailyBars = <P extends { readonly timestamp: string }>(
  points: ReadonlyArray<P>,
  value: (point: P) => number,
): ReadonlyMap<string, Bar> => {
  const bars = new Map<string, Bar>()
  const inOrder = points.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
  for (const point of inOrder) {
    const now = value(point)
    const bar = bars.get(dayOf(point.timestamp))
    bars.set(dayOf(point.timestamp), {
      open: bar?.open ?? now,
      low: Math.min(bar?.low ?? now, now),
      high: Math.max(bar?.high ?? now, now),
      close: now,
    })
  }
  return bars
}

const factor = (apy: number): number => (1 + apy) ** (1 / 365)

/** Compounded over the newest `days` days, or undefined where one of them is missing. */
export const returnOver = (apy: Days, days: number): number | undefined => {
  const last = [...apy.keys()].at(-1)
  if (last === undefined) return undefined
  let index = 1
  for (let back = 0; back < days; back += 1) {
    const value = apy.get(shifted(last, -back))
    if (value === undefined) return undefined
    index *= factor(value)
  }
  return index - 1
}

/** Sample standard deviation of the newest days' logarithmic returns, annualized. */
export const volatilityOver = (apy: Days, days: number): number | undefined => {
  if (returnOver(apy, days) === undefined) return undefined
  const returns = [...apy.values()].slice(-days).map((value) => Math.log(factor(value)))
  const mean = returns.reduce((sum, each) => sum + each, 0) / days
  const squares = returns.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return Math.sqrt(squares / (days - 1)) * Math.sqrt(365)
}

export interface Drawdown {
  readonly depth: number
  readonly peakOn: string
  readonly troughOn: string
  readonly recoveredOn: string | null
}

/** The deepest fall between any two days, by comparing all of them. */
export const deepestFall = (apy: Days): Drawdown | undefined => {
  const days = [...apy.keys()]
  const [first] = days
  if (first === undefined) return undefined
  const index = [1]
  for (const value of apy.values()) index.push((index.at(-1) ?? 1) * factor(value))
  const dates = [shifted(first, -1), ...days]
  let deepest = { depth: 0, peak: 0, trough: 0 }
  for (const [trough, low] of index.entries()) {
    for (const [peak, high] of index.slice(0, trough).entries()) {
      const depth = 1 - low / high
      // Of equal highs the last, of equal lows the first.
      const isLater = depth > 0 && depth === deepest.depth && trough === deepest.trough
      if (depth > deepest.depth || isLater) deepest = { depth, peak, trough }
    }
  }
  if (deepest.depth === 0) return undefined
  const { depth, peak, trough } = deepest
  const recovered = index.findIndex((level, at) => at > trough && level >= (index[peak] ?? 0))
  return {
    depth,
    peakOn: dates[peak] ?? "",
    troughOn: dates[trough] ?? "",
    recoveredOn: dates[recovered] ?? null,
  }
}

export const belowPar = (points: ReadonlyArray<RatioPoint>) => {
  const hours = new Set(points.map(({ timestamp }) => timestamp.slice(0, 13)))
  const below = new Set(
    points
      .filter((point) => point.adjusted_redeem_ratio < 1)
      .map(({ timestamp }) => timestamp.slice(0, 13)),
  )
  const low = Math.min(...points.map((point) => point.adjusted_redeem_ratio))
  return { hours: hours.size, below: below.size, low }
}

/** Weights of a day's protocols, and what they say of its concentration. */
export const concentration = (values: ReadonlyArray<number>) => {
  const total = values.reduce((sum, value) => sum + value, 0)
  const weights = values.map((value) => value / total)
  const hhi = weights.reduce((sum, weight) => sum + weight ** 2, 0)
  return { total, weights, hhi, top: Math.max(...weights) }
}
