// The charts of one vault in a report: those of its page, over the period and the previous one.
import { money, percent, ratio } from "../html/figures.ts"
import type { Html } from "../html/html.ts"
import { type ChartArea, type ChartLine, type SvgChart, svgChart } from "../html/svgChart.ts"
import type { Report, VaultReport } from "./readReport.ts"

type Row = Readonly<Record<string, unknown>>
type Rows = ReadonlyArray<Row>

const PAR = 1
const DAY_MILLIS = 86_400_000
const HUES = 7

export const vaultCharts = ({ series }: VaultReport, report: Report): ReadonlyArray<Html> => {
  const { before, from, to, bucketMillis } = report
  const span = { from: before, to, periodFrom: from }
  const chart = (title: string, rest: Omit<SvgChart, keyof typeof span | "title">): Html =>
    svgChart({ title, ...span, ...rest })
  const buckets = { time: "bucket_at", step: bucketMillis }
  const days = { time: "day", step: DAY_MILLIS }
  return [
    chart("Collateral ratio, shaded below par", {
      lines: [lineOf(series.ratio, buckets, "close", "ratio", 1)],
      areas: [rangeOf(series.ratio)],
      shaded: belowPar(series.ratio, bucketMillis),
      level: PAR,
      format: ratio,
    }),
    chart("APY", {
      lines: [
        lineOf(series.apy, days, "apy_unsmoothed", "raw", 3),
        lineOf(series.apy, days, "apy_smoothed", "smoothed", 1),
      ],
      format: (value) => percent(value, 1),
    }),
    chart("Unrealized PnL, USD", {
      lines: [lineOf(series.pnl, buckets, "close", "PnL", 1)],
      areas: [rangeOf(series.pnl)],
      format: money,
    }),
    chart("Allocation by protocol", {
      lines: [],
      areas: stacked(series.allocation),
      fromZero: true,
      format: money,
    }),
    chart("Net value and buffer, USD", {
      lines: [
        lineOf(series.buffer, buckets, "nav_usd", "net value", 1),
        lineOf(series.buffer, buckets, "buffer_usd", "buffer", 3),
      ],
      fromZero: true,
      format: money,
    }),
  ]
}

const instantOf = (row: Row, column: string): number => Date.parse(String(row[column]))

/** One stretch for all buckets below par without a break: seams would show. */
const belowPar = (rows: Rows, bucketMillis: number): ReadonlyArray<readonly [number, number]> => {
  const stretches: Array<[number, number]> = []
  for (const row of rows) {
    if (row["low"] === null || Number(row["low"]) >= PAR) continue
    const from = instantOf(row, "bucket_at")
    const last = stretches.at(-1)
    if (last?.[1] === from) last[1] = from + bucketMillis
    else stretches.push([from, from + bucketMillis])
  }
  return stretches
}

/** A stretch without points is a hole. */
const lineOf = (
  rows: Rows,
  { time, step }: { readonly time: string; readonly step: number },
  column: string,
  label: string,
  hue: number,
): ChartLine => ({
  label,
  hue,
  points: rows.flatMap((row, place) => {
    const at = instantOf(row, time)
    const last = rows[place - 1]
    const value = row[column] === null ? null : Number(row[column])
    const isAfterHole = last !== undefined && at - instantOf(last, time) > 1.5 * step
    return isAfterHole ? [[at - step, null] as const, [at, value] as const] : [[at, value] as const]
  }),
})

const rangeOf = (rows: Rows): ChartArea => ({
  label: "lowest to highest",
  hue: 1,
  points: rows.flatMap((row) =>
    row["low"] === null
      ? []
      : [[instantOf(row, "bucket_at"), Number(row["low"]), Number(row["high"])] as const],
  ),
})

/** Protocols stacked, the largest at the bottom; those without a colour of their own are one area. */
const stacked = (rows: Rows): ReadonlyArray<ChartArea> => {
  const days = [...new Set(rows.map((row) => instantOf(row, "day")))]
  const byProtocol = Map.groupBy(rows, (row) => String(row["protocol"]))
  const total = (of: Rows): number => of.reduce((sum, row) => sum + Number(row["value"] ?? 0), 0)
  const sorted = [...byProtocol].toSorted(([, one], [, other]) => total(other) - total(one))
  const others = sorted.slice(HUES)
  const shown =
    others.length === 0
      ? sorted
      : [
          ...sorted.slice(0, HUES),
          [`${others.length} others`, others.flatMap(([, of]) => of)] as const,
        ]
  const upTo = new Map(days.map((day) => [day, 0]))
  return shown.map(([label, of], place) => {
    const values = Map.groupBy(of, (row) => instantOf(row, "day"))
    const points = days.map((day) => {
      const low = upTo.get(day) ?? 0
      const high = low + total(values.get(day) ?? [])
      upTo.set(day, high)
      return [day, low, high] as const
    })
    return { label, hue: place + 1, points }
  })
}
