// A chart as SVG, drawn without script: for the report, which is a file.
import { scaleLinear, scaleUtc } from "d3-scale"
import { area, line } from "d3-shape"
import { html, type Html } from "./html.ts"

export interface ChartLine {
  readonly label: string
  /** Instants in milliseconds since 1970 and values, in order of time; null is a hole. */
  readonly points: ReadonlyArray<readonly [at: number, value: number | null]>
  /** Which of the colours `--hue-1` to `--hue-8` of style.css. */
  readonly hue: number
}

export interface ChartArea {
  readonly label: string
  readonly points: ReadonlyArray<readonly [at: number, low: number, high: number]>
  readonly hue: number
}

export interface SvgChart {
  readonly title: string
  readonly lines: ReadonlyArray<ChartLine>
  readonly areas?: ReadonlyArray<ChartArea>
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Where the period begins that the report is about; what lies before is for comparison. */
  readonly periodFrom: number
  /** Stretches of time to shade. */
  readonly shaded?: ReadonlyArray<readonly [from: number, to: number]>
  /** A level drawn where it is in sight. */
  readonly level?: number
  /** Whether 0 is always in sight. */
  readonly fromZero?: boolean
  readonly format: (value: number) => string
}

const WIDTH = 560
const HEIGHT = 190
const LEFT = 58
const RIGHT = 8
const TOP = 8
const BOTTOM = 22
const DAY_MILLIS = 86_400_000

export const svgChart = (chart: SvgChart): Html => {
  const { title, lines, areas = [], level, shaded = [], format } = chart
  const values = [
    ...lines.flatMap(({ points }) =>
      points.flatMap(([, value]) => (value === null ? [] : [value])),
    ),
    ...areas.flatMap(({ points }) => points.flatMap(([, low, high]) => [low, high])),
  ]
  const caption = html`<figcaption>${title}</figcaption>`
  if (values.length === 0) {
    return html`<figure>
      ${caption}
      <p class="empty">No points.</p>
    </figure>`
  }
  const x = scaleUtc([new Date(chart.from), new Date(chart.to)], [LEFT, WIDTH - RIGHT])
  const low = values.reduce((least, value) => Math.min(least, value), Infinity)
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity)
  const room = (high - low || Math.abs(high) * 0.001 || 1) * 0.05
  const y = scaleLinear(
    [chart.fromZero === true ? Math.min(0, low) : low - room, high + room],
    [HEIGHT - BOTTOM, TOP],
  )
  const at = (millis: number): string => x(millis).toFixed(1)
  const [bottom = 0, top = 0] = y.domain()
  const isInSight = level !== undefined && level >= bottom && level <= top
  return html`<figure>
    ${caption}
    <svg
      class="chart"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="${title}: ${summary(chart)}"
    >
      ${x.ticks(6).map((tick) => html`<path class="grid" d="M${at(tick.getTime())} ${TOP}V${HEIGHT - BOTTOM}" /><text x="${at(tick.getTime())}" y="${HEIGHT - 6}" text-anchor="middle">${dateLabel(tick, chart)}</text>`)}
      ${y.ticks(4).map((tick) => html`<path class="grid" d="M${LEFT} ${y(tick).toFixed(1)}H${WIDTH - RIGHT}" /><text x="${LEFT - 6}" y="${(y(tick) + 3.5).toFixed(1)}" text-anchor="end">${format(tick)}</text>`)}
      ${shaded.map(([from, to]) => html`<rect class="shaded" x="${at(from)}" y="${TOP}" width="${Math.max(0.6, x(to) - x(from)).toFixed(1)}" height="${HEIGHT - TOP - BOTTOM}" />`)}
      ${areas.map(({ points, hue }) => html`<path class="area hue-${hue}" d="${areaPath(points, x, y)}" />`)}
      ${isInSight && html`<path class="level" d="M${LEFT} ${y(level).toFixed(1)}H${WIDTH - RIGHT}" />`}
      ${lines.map(({ points, hue }) => html`<path class="line hue-${hue}" d="${linePath(points, x, y)}" />`)}
      ${lines.map(({ points, hue }) => lonePoints(points).map(([when, value]) => html`<circle class="hue-${hue}" cx="${at(when)}" cy="${y(value).toFixed(1)}" r="1.6" />`))}
      <path class="period" d="M${at(chart.periodFrom)} ${TOP}V${HEIGHT - BOTTOM}" />
    </svg>
    ${legend(chart)}
  </figure>`
}

type Scale = (value: number) => number

// Of a pixel: more digits would double the file.
const tenth = (value: number): number => Math.round(value * 10) / 10

const linePath = (points: ChartLine["points"], x: Scale, y: Scale): string =>
  line<readonly [number, number | null]>()
    .defined(([, value]) => value !== null)
    .x(([when]) => tenth(x(when)))
    .y(([, value]) => tenth(y(value ?? 0)))(points) ?? ""

const areaPath = (points: ChartArea["points"], x: Scale, y: Scale): string =>
  area<readonly [number, number, number]>()
    .x(([when]) => tenth(x(when)))
    .y0(([, low]) => tenth(y(low)))
    .y1(([, , high]) => tenth(y(high)))(points) ?? ""

/** Points between two holes: a line does not show them. */
const lonePoints = (points: ChartLine["points"]): ReadonlyArray<readonly [number, number]> =>
  points.flatMap(([when, value], place) =>
    value !== null &&
    (points[place - 1]?.[1] ?? null) === null &&
    (points[place + 1]?.[1] ?? null) === null
      ? [[when, value] as const]
      : [],
  )

const dateLabel = (tick: Date, { from, to }: SvgChart): string => {
  const text = tick.toISOString()
  if (to - from > 400 * DAY_MILLIS) return text.slice(0, 7)
  return to - from > 4 * DAY_MILLIS ? text.slice(5, 10) : text.slice(5, 16).replace("T", " ")
}

const lastOf = ({ points }: ChartLine): number | undefined =>
  points.findLast(([, value]) => value !== null)?.[1] ?? undefined

const summary = ({ lines, areas = [], format }: SvgChart): string =>
  [
    ...lines.map((each) => `${each.label} ${format(lastOf(each) ?? Number.NaN)}`),
    ...(lines.length === 0 ? areas.map(({ label }) => label) : []),
  ].join(", ") + " at the end"

/** What the colours mean, with the last figures. */
const legend = ({ lines, areas = [], format }: SvgChart): Html =>
  html`<ul class="legend">
    ${lines.map((each) => {
      const last = lastOf(each)
      return html`<li>
        <span class="swatch hue-${each.hue}"></span>${each.label}
        ${last !== undefined && format(last)}
      </li>`
    })}
    ${(lines.length === 0 ? areas : []).map(({ label, hue, points }) => {
      const [, low = 0, high = 0] = points.at(-1) ?? []
      return html`<li><span class="swatch hue-${hue}"></span>${label} ${format(high - low)}</li>`
    })}
  </ul>`
