// A small line chart as SVG, drawn on the server so that it needs no script.
import { scaleLinear } from "d3-scale"
import { line } from "d3-shape"
import { lonePlaces } from "../charts/picture.ts"
import { html, type Html, nothing } from "./html.ts"

const WIDTH = 120
const HEIGHT = 28
const PAD = 2

/** What several charts can share: the least and the greatest value, and when the values are. */
interface Scale {
  readonly range: readonly [low: number, high: number]
  /** Ascending, in any unit. */
  readonly times: ReadonlyArray<number>
}

/**
 * A missing value (null) leaves a hole. `par` is drawn if it is close to the values. Without a scale, the values are of
 * days in a row, and make their own range.
 */
export const sparkline = (
  values: ReadonlyArray<number | null>,
  par: number,
  label: string,
  scale?: Scale,
): Html => {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return nothing
  const [least, most] = scale?.range ?? [Math.min(...known), Math.max(...known)]
  const spread = most - least || Math.abs(par) * 0.001
  const isInSight = par > least - spread && par < most + spread
  const [low, high] = isInSight ? [Math.min(least, par), Math.max(most, par)] : [least, most]
  const times = scale?.times ?? [...values.keys()]
  const x = scaleLinear([times[0] ?? 0, times.at(-1) ?? 0], [PAD, WIDTH - PAD])
  const y = scaleLinear([low, high], [HEIGHT - PAD, PAD])
  const xOf = (at: number): number => Math.round(x(times[at] ?? 0) * 10) / 10
  const yOf = (value: number | null | undefined): number => Math.round(y(value ?? 0) * 10) / 10
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => xOf(at))
    .y(yOf)
  return html`<svg
    class="sparkline"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    width="${WIDTH}"
    height="${HEIGHT}"
    role="img"
    aria-label="${label}"
  >
    ${isInSight && html`<path class="par" d="M0 ${y(par).toFixed(1)}H${WIDTH}" />`}
    <path class="line" d="${path(values) ?? ""}" />
    ${lonePlaces(values).map((at) => html`<circle cx="${xOf(at)}" cy="${yOf(values[at])}" r="1.2" />`)}
  </svg>`
}
