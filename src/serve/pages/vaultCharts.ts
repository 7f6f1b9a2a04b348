// The places of the charts on a vault's page, which client/chart.ts draws.
import { charts } from "../charts/charts.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html } from "../html/html.ts"
import { vaultPage, vaultSeries } from "../links.ts"
import type { Days, Period } from "../periods/period.ts"
import { periodForm } from "../periods/periodForm.ts"

const moves: ReadonlyArray<readonly [move: string, sign: string, label: string]> = [
  ["earlier", "←", "Earlier"],
  ["later", "→", "Later"],
  ["closer", "+", "Zoom in"],
  ["wider", "−", "Zoom out"],
]

/** The charts are hidden until the script shows them. */
export const vaultCharts = (vault: Row, period: Period, whole: Days): Html =>
  html`<h2 id="history">History</h2>
    ${periodForm({ path: vaultPage(vault), others: [], period, whole, anchor: "#history" })}
    <section
      id="charts"
      aria-labelledby="history"
      data-path="${vaultSeries(vault)}"
      data-from="${new Date(period.fromAt).toISOString()}"
      data-to="${new Date(period.toAt).toISOString()}"
      hidden
    >
      <div class="actions" role="group" aria-label="Period of all charts">
        ${moves.map(([move, sign, label]) => html`<button type="button" data-move="${move}" aria-label="${label}" title="${label}">${sign}</button>`)}
        <output class="note"></output>
      </div>
      <p class="note">
        Drag over a chart to zoom in, hold Shift and drag to move; with the keyboard, the arrows
        move and + and − zoom.
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
