// The charts of a vault, on its page and in reports: the lines and areas of each series, and the format of its figures.
import { MICROS_PER_SECOND, parseInstant, SECONDS_PER_DAY } from "../../domain/values/time.ts"
import { compact, percent, ratio } from "../figures.ts"
import { type Figures, type Line, type Picture, pictureOf } from "./picture.ts"

/** A series as api/series.ts returns it, with a list for each column. */
export interface Series {
  readonly bucketSeconds: number
  readonly columns: Readonly<Record<string, ReadonlyArray<unknown>>>
}

export interface Chart {
  readonly series: string
  readonly title: string
  readonly picture: (series: Series) => Picture
  readonly format: (value: unknown) => string
  /** A level to draw if it is within the range of the axis. */
  readonly level?: number
  /** A level that the range of the axis always includes. */
  readonly base?: number
}

const PAR = 1

/**
 * Seconds since 1970 of an instant or a day. DuckDB writes instants of some types without an offset: they are UTC too, not
 * of the browser's time zone.
 */
export const secondsOf = (text: unknown): number =>
  (parseInstant(text) ?? Number.NaN) / MICROS_PER_SECOND

const listOf = ({ columns }: Series, column: string): Figures =>
  (columns[column] ?? []).map((value) => (value === null ? null : Number(value)))

const daysOf = ({ columns }: Series): ReadonlyArray<unknown> => [...new Set(columns["day"])]

const daily = (series: Series, lines: ReadonlyArray<Line>, areas?: Picture["areas"]): Picture =>
  pictureOf(daysOf(series).map(secondsOf), SECONDS_PER_DAY, lines, areas)

const hourly = (series: Series, lines: ReadonlyArray<Line>, areas?: Picture["areas"]): Picture =>
  pictureOf((series.columns["bucket_at"] ?? []).map(secondsOf), series.bucketSeconds, lines, areas)

/** The last figure of each bucket as a line, within an area from its lowest to its highest figure. */
const lineWithRange = (series: Series, label: string): Picture =>
  hourly(
    series,
    [
      { label: "highest", hue: 1, figures: listOf(series, "high"), isEdge: true },
      { label: "lowest", hue: 1, figures: listOf(series, "low"), isEdge: true },
      { label, hue: 1, figures: listOf(series, "close") },
    ],
    [{ upper: 0, lower: 1 }],
  )

/** Joins adjacent buckets below par into one stretch, because seams between them would be visible. */
const belowPar = ({ times, lines }: Picture, bucketSeconds: number): Picture["shaded"] => {
  const stretches: Array<[from: number, to: number]> = []
  for (const [at, time] of times.entries()) {
    const low = lines.find(({ label }) => label === "lowest")?.figures[at] ?? null
    if (low === null || low >= PAR) continue
    const last = stretches.at(-1)
    if (last?.[1] === time) last[1] += bucketSeconds
    else stretches.push([time, time + bucketSeconds])
  }
  return stretches
}

// The colour `--hue-8` is for the sum of the others.
const MAX_PROTOCOLS = 7

const sum = (figures: Figures): number =>
  figures.reduce<number>((total, figure) => total + (figure ?? 0), 0)

/**
 * Stacked areas by protocol, the largest at the bottom; the smallest share one area if there are not enough colours. A day on
 * which the value of a protocol is not known is a hole, since the sum of some parts is not the total.
 */
const stacked = (series: Series): Picture => {
  const days = daysOf(series)
  const values = listOf(series, "value")
  const places = new Map(days.map((day, place) => [day, place]))
  const protocols = new Map<string, Array<number>>()
  const holes = new Set<number>()
  for (const [at, protocol] of (series.columns["protocol"] ?? []).entries()) {
    const figures = protocols.get(String(protocol)) ?? days.map(() => 0)
    const [place, value] = [places.get(series.columns["day"]?.[at]) ?? 0, values[at] ?? null]
    if (value === null) holes.add(place)
    else figures[place] = value
    protocols.set(String(protocol), figures)
  }
  const shown = [...protocols].toSorted(([, one], [, other]) => sum(other) - sum(one))
  const others = shown.splice(MAX_PROTOCOLS).map(([, figures]) => figures)
  if (others.length > 0) {
    const total = days.map((_, at) => sum(others.map((figures) => figures[at] ?? 0)))
    shown.push([`${others.length} others`, total])
  }
  const height = days.map(() => 0)
  const lines = shown.map(([label, figures], place) => {
    for (const [at, figure] of figures.entries()) height[at] = (height[at] ?? 0) + figure
    const known = height.map((figure, at) => (holes.has(at) ? null : figure))
    return { label, hue: place + 1, figures: known }
  })
  const areas = lines.map((_, upper) => (upper === 0 ? { upper } : { upper, lower: upper - 1 }))
  return daily(series, lines, areas)
}

export const charts: ReadonlyArray<Chart> = [
  {
    series: "ratio",
    title: "Collateral ratio, with its lowest and highest; shaded below par",
    picture: (series) => {
      const picture = lineWithRange(series, "ratio")
      return { ...picture, shaded: belowPar(picture, series.bucketSeconds) }
    },
    format: ratio,
    level: PAR,
  },
  {
    series: "apy",
    title: "APY, smoothed and raw",
    picture: (series) =>
      daily(series, [
        { label: "raw", hue: 3, figures: listOf(series, "apy_unsmoothed") },
        { label: "smoothed", hue: 1, figures: listOf(series, "apy_smoothed") },
      ]),
    format: percent,
  },
  {
    series: "pnl",
    title: "Unrealized PnL, USD",
    picture: (series) => lineWithRange(series, "PnL"),
    format: compact,
  },
  {
    series: "allocation",
    title: "Allocation by protocol, day by day",
    picture: stacked,
    format: compact,
    base: 0,
  },
  {
    series: "buffer",
    title: "Net value and buffer, USD",
    picture: (series) =>
      hourly(series, [
        { label: "net value", hue: 1, figures: listOf(series, "nav_usd") },
        { label: "buffer", hue: 3, figures: listOf(series, "buffer_usd") },
      ]),
    format: compact,
    base: 0,
  },
]
