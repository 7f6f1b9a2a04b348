// The figures that pages and reports show, worked out from what archived responses say, as text. The definitions are those
// of docs/tables.md; a figure that can't be worked out is a dash.
import {
  type Bar,
  concentration,
  dailyBars,
  dayOf,
  deepestFall,
  type Days,
  shifted,
  type RatioPoint,
} from "../independent.ts"
import type { Fees, Known, KnownVault } from "./known.ts"

const text = (options: Intl.NumberFormatOptions, unit = "", by = 1) => {
  const format = new Intl.NumberFormat("en", options)
  return (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? "–" : `${format.format(value * by)}${unit}`
}

export const percent = text({ minimumFractionDigits: 2, maximumFractionDigits: 2 }, " %", 100)
/** Rounded down: what is nearly complete is not 100 %. */
export const wholePercent = text({ maximumFractionDigits: 0, roundingMode: "floor" }, " %", 100)
export const money = text({ notation: "compact", maximumSignificantDigits: 3 })
export const whole = text({ maximumFractionDigits: 0 })
/** Rounded down, as the page says. */
export const ratio = text({
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
  roundingMode: "floor",
})
const twoDigits = { maximumFractionDigits: 2, roundingMode: "floor" } as const
export const times = text(twoDigits)
const multiple = text(twoDigits, " ×")
const amount = text({ maximumSignificantDigits: 6 })

const sum = (values: Iterable<number>): number =>
  [...values].reduce((total, value) => total + value, 0)
const mean = (values: ReadonlyArray<number>): number | undefined =>
  values.length === 0 ? undefined : sum(values) / values.length

/** A vault that was wound up reports a ratio of nothing, with no backing left or a rest of it. */
export const hasRatio = (point: RatioPoint): boolean =>
  point.tvl_on_vault > 0 || (point.actual_tvl !== 0 && point.adjusted_redeem_ratio !== 0)

const ratiosOf = ({ ratios }: KnownVault) => [...ratios.values()].filter(hasRatio)

const closesOf = (bars: ReadonlyMap<string, Bar>): Days =>
  new Map([...bars].map(([day, { close }]) => [day, close]))

export interface Period {
  readonly from: string
  readonly to: string
}

const within =
  ({ from, to }: Period) =>
  (day: string): boolean =>
    day >= from && day <= to

const daysIn = ({ from, to }: Period): ReadonlyArray<string> => {
  const days: Array<string> = []
  for (let day = from; day <= to; day = shifted(day, 1)) days.push(day)
  return days
}

const newest = <T>(all: ReadonlyMap<string, T>): readonly [at: string, value: T] | undefined =>
  [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).at(-1)

/** The newest snapshot of each day. */
const positionDays = ({ positions }: KnownVault) =>
  new Map(
    [...positions.values()]
      .toSorted((one, other) => (one.at < other.at ? -1 : 1))
      .map((each) => [dayOf(each.at), each] as const),
  )

const feesOf = ({ fees, recordFees }: KnownVault): ReadonlyArray<Fees> =>
  fees.length > 0 ? fees : recordFees

/** Those at the end of the day; the first that are known stand for the days before them. */
const feesOn = (vault: KnownVault, day: string): Fees | undefined => {
  const end = Date.parse(shifted(day, 1))
  const all = feesOf(vault)
  return all.findLast(({ readAt }) => readAt < end) ?? all[0]
}

/** Of one day: what the raw APY yields, and what the fees take of it. */
const yieldOf = (vault: KnownVault, day: string) => {
  const apy = vault.raw.get(day)
  const fees = feesOn(vault, day)
  if (apy === undefined || fees === undefined) return undefined
  const gross = (1 + apy) ** (1 / 365) - 1
  const management = fees.management / 100 / 365
  const performance = (Math.max(0, gross - management) * fees.performance) / 100
  return { gross, fees: management + performance }
}

export const periodFigures = (vault: KnownVault, period: Period) => {
  const isIn = within(period)
  const points = ratiosOf(vault)
  const bars = dailyBars(points, (point) => point.adjusted_redeem_ratio)
  const closes = closesOf(bars)
  const pnl = closesOf(dailyBars([...vault.pnl.values()], (point) => point.unrealizedPnl))
  const inPeriod = points
    .filter(({ timestamp }) => isIn(dayOf(timestamp)))
    .map((point) => [point.timestamp, point.adjusted_redeem_ratio] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const days = daysIn(period)
  const changes = days.flatMap((day) => {
    const [close, before] = [closes.get(day), closes.get(shifted(day, -1))]
    return close === undefined || before === undefined ? [] : [{ day, change: close / before }]
  })
  const logs = changes.map(({ change }) => Math.log(change))
  const average = mean(logs) ?? 0
  const deviation = Math.sqrt(sum(logs.map((each) => (each - average) ** 2)) / (logs.length - 1))
  const net = changes.flatMap(({ day, change }) => {
    const earned = yieldOf(vault, day)
    return earned === undefined ? [] : [change * (1 + earned.gross - earned.fees)]
  })
  const pnlDays = [...pnl.keys()].filter(isIn).toSorted()
  const pnlBefore = pnl.get(shifted(period.from, -1))
  const start = pnlBefore ?? pnl.get(pnlDays[0] ?? "")
  const end = pnl.get(pnlDays.at(-1) ?? "")
  const isChange = pnlDays.length > (pnlBefore === undefined ? 1 : 0)
  const positions = positionDays(vault)
  const navDay = [...positions.keys()].filter(isIn).toSorted().at(-1)
  const closeDays = [...closes.keys()].filter(isIn).toSorted()
  const firstClose = closes.get(shifted(period.from, -1)) ?? closes.get(closeDays[0] ?? "")
  const hasReturn = closes.has(shifted(period.from, -1))
    ? closeDays.length > 0
    : closeDays.length > 1
  const hhi = days.flatMap((day) => {
    const parts = vault.allocations.get(day)
    return parts === undefined ? [] : [concentration([...parts.values()]).hhi]
  })
  const fees = days.flatMap((day) => {
    const [earned, nav] = [yieldOf(vault, day), positions.get(day)?.nav]
    return earned === undefined || nav === undefined ? [] : [nav * earned.fees]
  })
  const lows = inPeriod.map(([, value]) => value)
  const belowPar = new Set(inPeriod.filter(([, value]) => value < 1).map(([at]) => at.slice(0, 13)))
  const values = (series: Days) => days.flatMap((day) => series.get(day) ?? [])
  return {
    nav: positions.get(navDay ?? "")?.nav,
    pnl: isChange && end !== undefined && start !== undefined ? end - start : undefined,
    netReturn: net.length === 0 ? undefined : net.reduce((all, each) => all * each, 1) - 1,
    ratioReturn: hasReturn
      ? (closes.get(closeDays.at(-1) ?? "") ?? NaN) / (firstClose ?? NaN) - 1
      : undefined,
    smoothed: mean(values(vault.smoothed)),
    raw: mean(values(vault.raw)),
    drawdown: lows.length === 0 ? undefined : (deepestFall(inPeriod)?.depth ?? 0),
    volatility: logs.length < 2 ? undefined : deviation * Math.sqrt(365),
    low: lows.length === 0 ? undefined : Math.min(...lows),
    belowPar: lows.length === 0 ? undefined : belowPar.size,
    concentration: mean(hhi),
    fees: fees.length === 0 ? undefined : sum(fees),
    close: closes.get(closeDays.at(-1) ?? ""),
    presentHours: presentHours(vault, period),
  }
}

export type PeriodFigures = ReturnType<typeof periodFigures>

/** Of the hours since the vault's first point, up to its last day. Only for days that are over. */
const presentHours = (vault: KnownVault, period: Period): number | undefined => {
  const stamps = [...vault.ratios.keys()].toSorted()
  const days = [
    ...stamps.map(dayOf),
    ...[...vault.pnl.keys(), ...vault.positions.keys()].map(dayOf),
    ...vault.smoothed.keys(),
    ...vault.raw.keys(),
  ].toSorted()
  const [first, firstDay, lastDay] = [stamps[0], days[0], days.at(-1)]
  if (first === undefined || firstDay === undefined || lastDay === undefined) return undefined
  const expected = sum(
    daysIn(period)
      .filter((day) => day >= firstDay && day <= lastDay && day >= dayOf(first))
      .map((day) => (day === dayOf(first) ? 24 - Number(first.slice(11, 13)) : 24)),
  )
  const present = new Set(
    stamps.filter((at) => within(period)(dayOf(at))).map((at) => at.slice(0, 13)),
  )
  return expected === 0 ? undefined : present.size / expected
}

/** As the list of a vault's page and the columns of a comparison, in their order. */
export const periodTexts = (found: PeriodFigures): Readonly<Record<string, string>> => ({
  "Net value, USD": money(found.nav),
  "PnL, USD": money(found.pnl),
  "Return, net": percent(found.netReturn),
  "Return of the ratio": percent(found.ratioReturn),
  "APY, smoothed": percent(found.smoothed),
  "APY, raw": percent(found.raw),
  Drawdown: percent(found.drawdown),
  Volatility: percent(found.volatility),
  "Lowest ratio": ratio(found.low),
  "Hours below par": whole(found.belowPar),
  Concentration: times(found.concentration),
  "Fees, USD": money(found.fees),
})

/** The newest figures, as at the top of a vault's page. */
export const newestTexts = (
  { health }: Known,
  vault: KnownVault,
): Readonly<Record<string, string>> => {
  const point = newest(vault.ratios)?.[1]
  const position = newest(vault.positions)?.[1]
  const { withdrawals } = vault
  const ofAssets =
    withdrawals === undefined || withdrawals.assets === 0
      ? undefined
      : withdrawals.total / withdrawals.assets
  // Nothing is nothing of an unknown total too.
  const share = withdrawals?.total === 0 ? 0 : ofAssets
  const queue = share === undefined || position === undefined ? 0 : share * position.nav
  const factors = [
    ...new Set([...vault.subaccounts, ...vault.linked, ...(position?.subaccounts ?? [])]),
  ].flatMap((address) => {
    const found = health.get(address)
    return found !== undefined && found.loan > 0 ? [found.factor] : []
  })
  const parts = [...(newest(vault.allocations)?.[1].values() ?? [])]
  const total = sum(parts)
  return {
    "Collateral ratio": ratio(point && hasRatio(point) ? point.adjusted_redeem_ratio : undefined),
    "APY, smoothed": percent(newest(vault.smoothed)?.[1]),
    "APY, raw": percent(newest(vault.raw)?.[1]),
    "Net value, USD": money(position?.nav),
    "Assets by the contract, as sent": money(position?.byContract),
    // Of the vault's record, whose field the document does not name and no setting of the example does.
    "Reported TVL, as sent": "–",
    "PnL, unrealized, USD": money(newest(vault.pnl)?.[1].unrealizedPnl),
    "Buffer, USD": money(position?.buffer),
    "Buffer, of net value": percent(position && position.buffer / position.nav),
    "Withdrawals pending, of assets": percent(share),
    "Buffer over queue": multiple(queue === 0 ? undefined : position && position.buffer / queue),
    "Lowest health factor": times(factors.length === 0 ? undefined : Math.min(...factors)),
    "Largest protocol": percent(parts.length === 0 ? undefined : Math.max(...parts) / total),
    "Performance fee, %": amount(feesOf(vault).at(-1)?.performance),
  }
}
