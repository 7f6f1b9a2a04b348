// The newest figures of a vault, each with its instant and a link to its trace.
import { amount, figure, money, percent, ratio, times } from "../html/figures.ts"
import { html, type Html } from "../html/html.ts"
import { latestTrace } from "../links.ts"

type Row = Readonly<Record<string, unknown>>

interface Shown {
  readonly label: string
  /** Of mart.vault_latest. */
  readonly column: string
  readonly format: (value: unknown) => string
  /** The column with its instant. */
  readonly asOf: string
}

const shown: ReadonlyArray<Shown> = [
  { label: "Collateral ratio", column: "collateral_ratio", format: ratio, asOf: "ratio_at" },
  { label: "APY, smoothed", column: "apy_smoothed", format: percent, asOf: "apy_smoothed_on" },
  { label: "APY, raw", column: "apy_unsmoothed", format: percent, asOf: "apy_unsmoothed_on" },
  { label: "Net value, USD", column: "nav_usd", format: money, asOf: "nav_at" },
  {
    label: "Reported TVL, USD",
    column: "reported_tvl",
    format: money,
    asOf: "reported_tvl_since_at",
  },
  { label: "PnL, USD", column: "pnl_usd", format: money, asOf: "pnl_at" },
  { label: "Buffer, USD", column: "buffer_usd", format: money, asOf: "nav_at" },
  { label: "Buffer, of net value", column: "buffer_share", format: percent, asOf: "nav_at" },
  {
    label: "Withdrawals pending, of assets",
    column: "pending_withdrawals_share",
    format: percent,
    asOf: "withdrawals_since_at",
  },
  {
    label: "Buffer over queue",
    column: "withdrawal_buffer_adequacy",
    format: (value) => (value === null ? times(value) : `${times(value)} ×`),
    asOf: "nav_at",
  },
  {
    label: "Lowest health factor",
    column: "lowest_health_factor",
    format: times,
    asOf: "lowest_health_at",
  },
  {
    label: "Largest protocol",
    column: "top_protocol_share",
    format: percent,
    asOf: "allocation_on",
  },
  {
    label: "Performance fee, %",
    column: "performance_fee_pct",
    format: amount,
    asOf: "fees_since_at",
  },
]

export const figureList = (vault: Row): Html =>
  html`<dl class="figures">
    ${shown.map(
      ({ label, column, format, asOf }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${figure(format(vault[column]), vault[asOf], latestTrace(vault, column))}</dd>
        </div>`,
    )}
  </dl>`
