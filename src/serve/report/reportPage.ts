// The report of a period, compared with the previous one.
import { counted } from "../../domain/values/numbers.ts"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { completePart, count, MISSING, money, percent, ratio } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html, name } from "../html/html.ts"
import { svgChart } from "../html/svgChart.ts"
import { table } from "../html/table.ts"
import { troubleList } from "../html/troubles.ts"
import { vaultName } from "../vaults.ts"
import { dayOf } from "../periods/period.ts"
import type { Report, VaultReport } from "./readReport.ts"
import { reportDocument } from "./reportDocument.ts"

/** The whole file. */
export const reportPage = (report: Report): string => {
  const days = (report.to - report.from) / MILLIS_PER_DAY
  return reportDocument(
    `Vaults, ${dayOf(report.from)} to ${dayOf(report.to - MILLIS_PER_DAY)}`,
    html`Compared with the previous ${days === 1 ? "day" : `${count(days)} days`}. Days are UTC;
    ${report.data}.`,
    html`${figures(report)} ${report.vaults.map((vault) => section(vault, report))}`,
  )
}

interface Figure {
  readonly column: string
  readonly label: string
  readonly format: (value: unknown) => string
  /** Of a figure over the period: the column that counts the days it is made of. */
  readonly days?: string
  /** Of a level: the column of its day, which is the last of the period where nothing is missing. */
  readonly on?: string
}

const shown: ReadonlyArray<Figure> = [
  {
    column: "collateral_ratio",
    label: "Collateral ratio",
    format: ratio,
    on: "collateral_ratio_on",
  },
  { column: "collateral_ratio_low", label: "Lowest", format: ratio, days: "ratio_days" },
  { column: "hours_below_par", label: "Hours below par", format: count, days: "ratio_days" },
  { column: "drawdown", label: "Drawdown", format: percent, days: "ratio_days" },
  { column: "apy_smoothed", label: "APY, smoothed, mean", format: percent, days: "apy_days" },
  { column: "nav_usd", label: "Net value, USD", format: money, on: "nav_on" },
  { column: "pnl_change_usd", label: "PnL change, USD", format: money, days: "pnl_days" },
  {
    column: "share_of_hours_present",
    label: "Hours present",
    format: (value) => completePart(value, 0),
    days: "hours_days",
  },
]

/** The figures of every vault, each with that of the previous period below. */
const figures = ({ vaults, before, from, to }: Report): Html =>
  table<VaultReport>({
    caption:
      "At the end of the period, or over it; below each figure, that of the previous period. A figure of a part of its period says of how many days it is; a level that is older than the period's last day says of which day",
    rows: vaults,
    empty: "No vault is in the report.",
    columns: [
      {
        label: "Vault",
        cell: ({ vault }) => html`<a href="#${anchor(vault)}">${name(vaultName(vault))}</a>`,
      },
      ...shown.map((figure) => ({
        label: figure.label,
        align: "right" as const,
        cell: (each: VaultReport) =>
          html`${cell(figure, each.period, from, to)}<span class="as-of"
              >${cell(figure, each.before, before, from)}</span
            >`,
      })),
    ],
  })

/** A figure of the period, whose end is exclusive, marked where it is of a part of it. */
const cell = (
  { column, format, days, on }: Figure,
  row: Row | undefined,
  from: number,
  to: number,
): Html => {
  const value = row?.[column]
  if (value === undefined || value === null) return html`${MISSING}`
  const [found, all] = [
    days === undefined ? undefined : Number(row?.[days]),
    (to - from) / MILLIS_PER_DAY,
  ]
  const day = on === undefined ? undefined : String(row?.[on])
  const part =
    found !== undefined && found < all
      ? `${count(found)} of ${counted(all, "day")}`
      : day !== undefined && day !== dayOf(to - MILLIS_PER_DAY)
        ? `of ${day}`
        : undefined
  return html`${format(value)}${part !== undefined && html`<span class="note">${part}</span>`}`
}

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
      ${each.charts.map(([chart, series]) => svgChart(chart, chart.picture(series), report))}
    </div>
  </section>`
