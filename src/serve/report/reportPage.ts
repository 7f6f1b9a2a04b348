// The report as one HTML file that includes its styles and has no scripts.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { raw } from "hono/html"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { count, MISSING, money, percent, ratio } from "../figures.ts"
import { html, type Html, name } from "../html/html.ts"
import { styleSheets } from "../html/styles.ts"
import { svgChart } from "../html/svgChart.ts"
import { table } from "../html/table.ts"
import { troubleList } from "../html/troubles.ts"
import { vaultName } from "../vaults.ts"
import { dayOf, type Report, type VaultReport } from "./readReport.ts"

const style = (): string =>
  [...styleSheets, "report.css"]
    .map((file) => readFileSync(join(import.meta.dirname, "../assets", file), "utf8"))
    .join("\n")

/** The whole file. */
export const reportPage = (report: Report): string => {
  const days = (report.to - report.from) / MILLIS_PER_DAY
  const title = `Vaults, ${dayOf(report.from)} to ${dayOf(report.to - MILLIS_PER_DAY)}`
  return String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta
            http-equiv="content-security-policy"
            content="default-src 'none'; style-src 'unsafe-inline'"
          />
          <title>${title}</title>
          <style>
            ${raw(style())}
          </style>
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            <p class="lead">
              Compared with the previous ${days === 1 ? "day" : `${count(days)} days`}. Days are
              UTC; data of run ${report.runId}.
            </p>
            ${figures(report)} ${report.vaults.map((vault) => section(vault, report))}
          </main>
          <footer><p>Made by vaulthouse.</p></footer>
        </body>
      </html> `,
  )
}

const shown: ReadonlyArray<
  readonly [column: string, label: string, format: (value: unknown) => string]
> = [
  ["collateral_ratio", "Collateral ratio", ratio],
  ["collateral_ratio_low", "Lowest", ratio],
  ["hours_below_par", "Hours below par", count],
  ["drawdown", "Drawdown", percent],
  ["apy_smoothed", "APY, mean", percent],
  ["nav_usd", "Net value, USD", money],
  ["pnl_change_usd", "PnL change, USD", money],
  ["share_of_hours_present", "Hours present", (value) => percent(value, 0)],
]

/** The figures of every vault, each with that of the previous period below. */
const figures = ({ vaults }: Report): Html =>
  table<VaultReport>({
    caption: "At the end of the period, or over it; below each figure, that of the previous period",
    rows: vaults,
    empty: "No vault is in the report.",
    columns: [
      {
        label: "Vault",
        cell: ({ vault }) => html`<a href="#${anchor(vault)}">${name(vaultName(vault))}</a>`,
      },
      ...shown.map(([column, label, format]) => ({
        label,
        align: "right" as const,
        cell: ({ period, before }: VaultReport) =>
          html`${cell(period?.[column], format)}<span class="as-of"
              >${cell(before?.[column], format)}</span
            >`,
      })),
    ],
  })

const cell = (value: unknown, format: (value: unknown) => string): string =>
  value === undefined || value === null ? MISSING : format(value)

const anchor = (vault: Readonly<Record<string, unknown>>): string =>
  `${String(vault["chain_id"])}-${String(vault["vault_address"])}`

const section = (each: VaultReport, report: Report): Html =>
  html`<section class="vault-section">
    <h2 id="${anchor(each.vault)}">${name(vaultName(each.vault))}</h2>
    <p class="lead code">
      ${String(each.vault["vault_address"])} on chain ${String(each.vault["chain_id"])}
    </p>
    ${
      each.vault.troubles.length > 0 &&
      html`<p class="note">Now:</p>
        ${troubleList(each.vault.troubles)}`
    }
    <div class="charts">
      ${each.charts.map(([chart, series]) => svgChart(chart, series, report))}
    </div>
  </section>`
