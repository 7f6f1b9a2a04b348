// A line over some days as SVG, drawn on the server, so that it needs no script.
import { html, type Html, nothing } from "./html.ts"

const WIDTH = 120
const HEIGHT = 28
const PAD = 2

/** Values day by day; a missing one leaves a hole. `par` is drawn where it is within sight of the values. */
export const sparkline = (
  values: ReadonlyArray<number | null>,
  par: number,
  label: string,
): Html => {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return nothing
  const spread = Math.max(...known) - Math.min(...known) || Math.abs(par) * 0.001
  const low = Math.min(...known, ...(Math.min(...known) - par < spread ? [par] : []))
  const high = Math.max(...known, ...(par - Math.max(...known) < spread ? [par] : []))
  const x = (at: number) => PAD + (at / Math.max(1, values.length - 1)) * (WIDTH - 2 * PAD)
  const y = (value: number) =>
    HEIGHT - PAD - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * PAD)
  let isBroken = true
  const path = values
    .map((value, at) => {
      if (value === null) {
        isBroken = true
        return ""
      }
      const step = `${isBroken ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`
      isBroken = false
      return step
    })
    .join("")
  return html`<svg
    class="sparkline"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    width="${WIDTH}"
    height="${HEIGHT}"
    role="img"
    aria-label="${label}"
  >
    ${par >= low && par <= high && html`<path class="par" d="M0 ${y(par).toFixed(1)}H${WIDTH}" />`}
    <path class="line" d="${path}" />
  </svg>`
}
