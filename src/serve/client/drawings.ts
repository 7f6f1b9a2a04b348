// What each chart draws of its series: the lines, their colours, and how figures are written.
import type uPlot from "uplot"
import { numbers, type Series, withHoles } from "./series.ts"

type List = ReadonlyArray<number | null>

export interface Line {
  readonly label: string
  readonly values: List
  /** A custom property of style.css. */
  readonly color: string
  /** Edge of an area: without a line and a place in the legend. */
  readonly isEdge?: boolean
  readonly fill?: boolean
}

export interface Picture {
  /** The column with the instants. */
  readonly time: string
  readonly lines: ReadonlyArray<Line>
  /** Areas between two lines, by their numbers from 0. */
  readonly areas: ReadonlyArray<readonly [upper: number, lower: number, color: string]>
}

export interface Drawing {
  readonly series: string
  /** Hourly series are read again for the period that is shown, the daily ones once. */
  readonly isHourly: boolean
  readonly picture: (series: Series) => Picture
  readonly format: (value: number) => string
  /** A level to draw, and to shade what is below it. */
  readonly par?: number
  /** The level that is always in sight. */
  readonly base?: number
}

const formatted = (options: Intl.NumberFormatOptions) => {
  const format = new Intl.NumberFormat("en", options)
  return (value: number): string => format.format(value)
}
const ratio = formatted({ minimumFractionDigits: 4, maximumFractionDigits: 4 })
const percent = formatted({ style: "percent", maximumFractionDigits: 2 })
const money = formatted({ notation: "compact", maximumSignificantDigits: 4 })

/** The last value of each bucket as a line, its lowest and highest as an area around it. */
const around =
  (label: string) =>
  (series: Series): Picture => ({
    time: "bucket_at",
    lines: [
      { label: "highest", values: numbers(series, "high"), color: "--line", isEdge: true },
      { label: "lowest", values: numbers(series, "low"), color: "--line", isEdge: true },
      { label, values: numbers(series, "close"), color: "--line" },
    ],
    areas: [[0, 1, "--line"]],
  })

const plain =
  (time: string, columns: ReadonlyArray<readonly [column: string, label: string, color: string]>) =>
  (series: Series): Picture => ({
    time,
    lines: columns.map(([column, label, color]) => ({
      label,
      values: numbers(series, column),
      color,
    })),
    areas: [],
  })

const colors = ["--hue-1", "--hue-2", "--hue-3", "--hue-4", "--hue-5", "--hue-6", "--hue-7"]

const sum = (list: ReadonlyArray<number>): number => list.reduce((total, value) => total + value, 0)

/** Protocols one upon the other, the largest at the bottom; what has no colour left is one area. */
const stacked = (series: Series): Picture => {
  const days = [...new Set(series.columns["day"] ?? [])]
  const place = new Map(days.map((each, at) => [each, at]))
  const values = numbers(series, "value")
  const protocols = new Map<string, Array<number>>()
  for (const [at, protocol] of (series.columns["protocol"] ?? []).entries()) {
    const list = protocols.get(String(protocol)) ?? days.map(() => 0)
    list[place.get(series.columns["day"]?.[at]) ?? 0] = values[at] ?? 0
    protocols.set(String(protocol), list)
  }
  const sorted = [...protocols].toSorted(([, one], [, other]) => sum(other) - sum(one))
  const named = sorted.slice(0, colors.length)
  const others = sorted.slice(colors.length).map(([, list]) => list)
  if (others.length > 0) {
    named.push([
      `${others.length} others`,
      days.map((_, at) => sum(others.map((list) => list[at] ?? 0))),
    ])
  }
  const upTo = days.map(() => 0)
  const lines = named.map(([label, list], at) => {
    for (const [index, value] of list.entries()) upTo[index] = (upTo[index] ?? 0) + value
    return { label, values: [...upTo], color: colors[at] ?? "--soft", fill: at === 0 }
  })
  return {
    time: "day",
    lines,
    areas: lines.slice(1).map(({ color }, at) => [at + 1, at, color]),
  }
}

/** By the name that a figure has in `data-series`. */
export const drawings: Readonly<Record<string, Drawing>> = {
  ratio: { series: "ratio", isHourly: true, picture: around("ratio"), format: ratio, par: 1 },
  apy: {
    series: "apy",
    isHourly: false,
    picture: plain("day", [
      ["apy_unsmoothed", "raw", "--hue-3"],
      ["apy_smoothed", "smoothed", "--line"],
    ]),
    format: percent,
  },
  pnl: { series: "pnl", isHourly: true, picture: around("PnL"), format: money },
  allocation: {
    series: "allocation",
    isHourly: false,
    picture: (series) => stacked(series),
    format: money,
    base: 0,
  },
  buffer: {
    series: "buffer",
    isHourly: true,
    picture: plain("bucket_at", [
      ["nav_usd", "net value", "--line"],
      ["buffer_usd", "buffer", "--hue-3"],
    ]),
    format: money,
    base: 0,
  },
}

/** The picture's lists as uPlot takes them. */
export const dataOf = (series: Series, { time, lines }: Picture): uPlot.AlignedData => {
  const days =
    time === "day" ? { ...series, columns: { day: [...new Set(series.columns["day"])] } } : series
  return withHoles(
    days,
    time,
    lines.map(({ values }) => values),
  ) as uPlot.AlignedData
}
