// A chart as SVG: for the report, which is one file without scripts, and for pages whose charts need none.
import { scaleLinear, scaleUtc } from "d3-scale"
import { area, line } from "d3-shape"
import type { Chart } from "../charts/charts.ts"
import {
  figureAt,
  lonePlaces,
  noteOf,
  type Picture,
  rangeOf,
  timeLabel,
} from "../charts/picture.ts"
import { html, type Html, name } from "./html.ts"

/** A period, in milliseconds since 1970. */
export interface Span {
  /** The beginning of the previous period, if that is shown for comparison. */
  readonly before?: number
  readonly from: number
  readonly to: number
}

const WIDTH = 560
const HEIGHT = 190
const LEFT = 58
const RIGHT = 18
const TOP = 8
const BOTTOM = 22

export const svgChart = (
  { title, level, base, format }: Pick<Chart, "title" | "level" | "base" | "format">,
  picture: Picture,
  span: Span,
): Html => {
  const { times, lines, areas, shaded } = picture
  const figures = lines.flatMap((each) => each.figures.filter((figure) => figure !== null))
  const caption = html`<figcaption>${title}</figcaption>`
  if (figures.length === 0) {
    return html`<figure>
      ${caption}
      <p class="empty">No points.</p>
    </figure>`
  }
  const x = scaleUtc([new Date(span.before ?? span.from), new Date(span.to)], [LEFT, WIDTH - RIGHT])
  const low = figures.reduce((least, figure) => Math.min(least, figure), Infinity)
  const high = figures.reduce((most, figure) => Math.max(most, figure), -Infinity)
  const range = rangeOf(low, high, base)
  const y = scaleLinear(range, [HEIGHT - BOTTOM, TOP])
  const atX = (seconds: number): number => tenth(x(seconds * 1000))
  const atY = (figure: number): number => tenth(y(figure))
  const marks = x.ticks(6).map((tick) => tick.getTime() / 1000)
  const step = (marks[1] ?? 0) - (marks[0] ?? 0)
  const note = noteOf(picture)
  const isInSight = level !== undefined && level >= range[0] && level <= range[1]
  const places = [...times.keys()]
  const figureOf = (place: number | undefined, at: number): number | null =>
    place === undefined ? 0 : (lines[place]?.figures[at] ?? null)
  const linePath = (place: number): string =>
    line<number>()
      .defined((at) => figureOf(place, at) !== null)
      .x((at) => atX(times[at] ?? 0))
      .y((at) => atY(figureOf(place, at) ?? 0))(places) ?? ""
  const areaPath = ({ upper, lower }: Picture["areas"][number]): string =>
    area<number>()
      .defined((at) => figureOf(upper, at) !== null && figureOf(lower, at) !== null)
      .x((at) => atX(times[at] ?? 0))
      .y0((at) => atY(figureOf(lower, at) ?? 0))
      .y1((at) => atY(figureOf(upper, at) ?? 0))(places) ?? ""
  const shown = lines.flatMap((each, place) =>
    each.isEdge === true ? [] : [{ ...each, place, last: lastOf(picture, place) }],
  )
  // Not as a style: the policy of pages allows none inside the document.
  const hueOf = (place: number): string =>
    `hue-${lines[place]?.hue ?? 1}${lines[place]?.isDashed === true ? " dashed" : ""}`
  return html`<figure>
    ${caption}
    <svg
      class="chart"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      role="img"
      aria-label="${title}: ${shown.map(({ label, last }) => `${label} ${format(last)}`).join(", ")} at the end"
    >
      ${marks.map((at) => html`<path class="grid" d="M${atX(at)} ${TOP}V${HEIGHT - BOTTOM}" /><text x="${atX(at)}" y="${HEIGHT - 6}" text-anchor="middle">${timeLabel(at, step)}</text>`)}
      ${y.ticks(4).map((tick) => html`<path class="grid" d="M${LEFT} ${atY(tick)}H${WIDTH - RIGHT}" /><text x="${LEFT - 6}" y="${atY(tick) + 3.5}" text-anchor="end">${format(tick)}</text>`)}
      ${shaded.map(([from, to]) => html`<rect class="shaded" x="${atX(from)}" y="${TOP}" width="${tenth(Math.max(0.6, atX(to) - atX(from)))}" height="${HEIGHT - TOP - BOTTOM}" />`)}
      ${areas.map((each) => html`<path class="area ${hueOf(each.upper)}" d="${areaPath(each)}" />`)}
      ${isInSight && html`<path class="level" d="M${LEFT} ${atY(level)}H${WIDTH - RIGHT}" />`}
      ${shown.map(({ place }) => html`<path class="line ${hueOf(place)}" d="${linePath(place)}" />`)}
      ${shown.map(({ place, figures: own }) => lonePlaces(own).map((at) => html`<circle class="${hueOf(place)}" cx="${atX(times[at] ?? 0)}" cy="${atY(own[at] ?? 0)}" r="1.6" />`))}
      ${span.before !== undefined && html`<path class="period" d="M${tenth(x(span.from))} ${TOP}V${HEIGHT - BOTTOM}" />`}
    </svg>
    <ul class="legend">
      ${shown.map(({ place, label, last }) => html`<li><span class="swatch ${hueOf(place)}"></span>${name(label)} ${format(last)}</li>`)}
    </ul>
    ${note !== undefined && html`<p class="note">${note}</p>`}
  </figure>`
}

// Rounded to a tenth of a pixel: more digits would double the size of the file.
const tenth = (value: number): number => Math.round(value * 10) / 10

/** The newest figure of a line that is not a hole. */
const lastOf = (picture: Picture, place: number): number | null =>
  figureAt(
    picture,
    place,
    picture.lines[place]?.figures.findLastIndex((figure) => figure !== null) ?? -1,
  )
