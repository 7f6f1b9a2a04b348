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

/** Change of the newest value against the one so many days before, or undefined where that day has none. */
export const changeOver = (closes: Days, days: number): number | undefined => {
  const [last, value] = [...closes].at(-1) ?? []
  const before = last === undefined ? undefined : closes.get(shifted(last, -days))
  return value === undefined || before === undefined ? undefined : value / before - 1
}

/** Sample standard deviation of the newest days' logarithmic changes, annualized. */
export const volatilityOver = (closes: Days, days: number): number | undefined => {
  const last = [...closes.keys()].at(-1)
  if (last === undefined) return undefined
  const changes: Array<number> = []
  for (let back = 0; back < days; back += 1) {
    const [value, before] = [closes.get(shifted(last, -back)), closes.get(shifted(last, -back - 1))]
    if (value === undefined || before === undefined) return undefined
    changes.push(Math.log(value / before))
  }
  const mean = changes.reduce((sum, each) => sum + each, 0) / days
  const squares = changes.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return Math.sqrt(squares / (days - 1)) * Math.sqrt(365)
}

export interface Drawdown {
  readonly depth: number
  readonly peakAt: string
  readonly troughAt: string
  readonly recoveredAt: string | null
}

/** The deepest fall between any two points, by comparing all of them; points oldest first. */
export const deepestFall = (
  points: ReadonlyArray<readonly [at: string, value: number]>,
): Drawdown | undefined => {
  let deepest = { depth: 0, peak: 0, trough: 0 }
  for (const [trough, [, low]] of points.entries()) {
    for (const [peak, [, high]] of points.slice(0, trough).entries()) {
      const depth = 1 - low / high
      // Of equal highs the last, of equal lows the first.
      const isLater = depth > 0 && depth === deepest.depth && trough === deepest.trough
      if (depth > deepest.depth || isLater) deepest = { depth, peak, trough }
    }
  }
  if (deepest.depth === 0) return undefined
  const { depth, peak, trough } = deepest
  const high = points[peak]?.[1] ?? 0
  const recovered = points.findIndex(([, value], at) => at > trough && value >= high)
  return {
    depth,
    peakAt: points[peak]?.[0] ?? "",
    troughAt: points[trough]?.[0] ?? "",
    recoveredAt: points[recovered]?.[0] ?? null,
  }
}

/** The collateral ratio at the end of each day. */
export const ratioCloses = (points: ReadonlyArray<RatioPoint>): Days =>
  new Map(
    [...dailyBars(points, (point) => point.adjusted_redeem_ratio)].map(([day, { close }]) => [
      day,
      close,
    ]),
  )

/** Of points in any order, the oldest first: instants as DuckDB writes them. */
export const ratioLevels = (points: ReadonlyArray<RatioPoint>) =>
  points
    .map(
      (point) =>
        [point.timestamp.slice(0, 19).replace("T", " "), point.adjusted_redeem_ratio] as const,
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1))

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
