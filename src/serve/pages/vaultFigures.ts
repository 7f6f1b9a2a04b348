// Lists the newest figures of a vault, each with its instant and a link to its trace.
import { age, amount, money, multiple, percent, ratio, times } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { figure } from "../html/figure.ts"
import { html, type Html, name, nothing } from "../html/html.ts"
import { latestTrace } from "../links.ts"

/** A figure of a row of mart.vault_latest; `column` and `asOf` are the columns of the figure and its instant. */
export const latestFigure = (
  vault: Row,
  column: string,
  format: (value: unknown) => string,
  asOf: string,
): Html =>
  figure(format(vault[column]), vault[asOf], latestTrace(vault, column), lateAge(vault, asOf))

/** The age of what a row of overview.sql gives an instant, if that is older than its target. */
export const lateAge = (vault: Row, asOf: string): string | undefined => {
  const { late, now_at: now } = vault
  return Array.isArray(late) && late.includes(asOf)
    ? age(String(vault[asOf]), String(now))
    : undefined
}

const shown: ReadonlyArray<
  readonly [
    label: string,
    column: string,
    format: (value: unknown) => string,
    asOf: string,
    /** The column that has the name of what the figure is of. */
    nameColumn?: string,
  ]
> = [
  ["Collateral ratio", "collateral_ratio", ratio, "ratio_at"],
  ["APY, smoothed", "apy_smoothed", percent, "apy_smoothed_on"],
  ["APY, raw", "apy_unsmoothed", percent, "apy_unsmoothed_on"],
  ["Net value, USD", "nav_usd", money, "nav_at"],
  ["Assets by the contract, as sent", "contract_tvl", money, "nav_at"],
  ["Reported TVL, as sent", "reported_tvl", money, "reported_tvl_since_at"],
  ["PnL, unrealized, USD", "pnl_usd", money, "pnl_at"],
  ["Buffer, USD", "buffer_usd", money, "nav_at"],
  ["Buffer, of net value", "buffer_share", percent, "nav_at"],
  ["Withdrawals pending, of assets", "pending_withdrawals_share", percent, "withdrawals_since_at"],
  ["Buffer over queue", "withdrawal_buffer_adequacy", multiple, "nav_at"],
  ["Lowest health factor", "lowest_health_factor", times, "lowest_health_at"],
  ["Largest protocol", "top_protocol_share", percent, "allocation_on", "top_protocol"],
  ["Performance fee, %", "performance_fee_pct", amount, "fees_since_at"],
]

export const figureList = (vault: Row): Html =>
  html`<dl class="figures">
    ${shown.map(
      ([label, column, format, asOf, nameColumn]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${latestFigure(vault, column, format, asOf)} ${named(vault, nameColumn)}</dd>
        </div>`,
    )}
  </dl>`

const named = (vault: Row, column: string | undefined): Html =>
  column === undefined || vault[column] === null
    ? nothing
    : html`<span class="note">${name(String(vault[column]))}</span>`
