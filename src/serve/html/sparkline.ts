// A small line chart of daily values as SVG, drawn on the server so that it needs no script.
import { scaleLinear } from "d3-scale"
import { line } from "d3-shape"
import { html, type Html, nothing } from "./html.ts"

const WIDTH = 120
const HEIGHT = 28
const PAD = 2

/**
 * A missing value (null) leaves a hole. `par` is drawn if it is close to the values. With a range, which several charts
 * can share, the values are drawn within that.
 */
export const sparkline = (
  values: ReadonlyArray<number | null>,
  par: number,
  label: string,
  range?: readonly [low: number, high: number],
): Html => {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return nothing
  const [least, most] = range ?? [Math.min(...known), Math.max(...known)]
  const spread = most - least || Math.abs(par) * 0.001
  const isInSight = par > least - spread && par < most + spread
  const [low, high] = isInSight ? [Math.min(least, par), Math.max(most, par)] : [least, most]
  const x = scaleLinear([0, values.length - 1], [PAD, WIDTH - PAD])
  const y = scaleLinear([low, high], [HEIGHT - PAD, PAD])
  const path = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => Math.round(x(at) * 10) / 10)
    .y((value) => Math.round(y(value ?? 0) * 10) / 10)
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
  </svg>`
}
