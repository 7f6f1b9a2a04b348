// The places of the charts on a vault's page, which client/chart.ts draws.
import { charts } from "../charts/charts.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html } from "../html/html.ts"
import { vaultSeries } from "../links.ts"

const periods: ReadonlyArray<readonly [days: string, label: string]> = [
  ["7", "7 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["Infinity", "All"],
]

const moves: ReadonlyArray<readonly [move: string, sign: string, label: string]> = [
  ["earlier", "←", "Earlier"],
  ["later", "→", "Later"],
  ["closer", "+", "Zoom in"],
  ["wider", "−", "Zoom out"],
]

/** The section is hidden until the script shows it. */
export const vaultCharts = (vault: Row): Html =>
  html`<section id="charts" aria-labelledby="history" data-path="${vaultSeries(vault)}" hidden>
    <h2 id="history">History</h2>
    <div class="actions" role="group" aria-label="Period of all charts">
      ${periods.map(([days, label]) => html`<button type="button" data-days="${days}">${label}</button>`)}
      ${moves.map(([move, sign, label]) => html`<button type="button" data-move="${move}" aria-label="${label}" title="${label}">${sign}</button>`)}
      <output class="note"></output>
    </div>
    <p class="note">
      Drag over a chart to zoom in, hold Shift and drag to move; with the keyboard, the arrows move
      and + and − zoom.
    </p>
    <div class="charts">
      ${charts.map(
        ({ series, title }) =>
          html`<figure data-series="${series}">
            <figcaption id="chart-${series}">${title}</figcaption>
            <div class="plot" tabindex="0" role="group" aria-labelledby="chart-${series}"></div>
          </figure>`,
      )}
    </div>
  </section>`
