// The figures of a vault over a period, columns of mart.vault_period, with their names and formats; on pages and in reports.
import { counted } from "../../domain/values/numbers.ts"
import { count, MISSING, money, percent, ratio, times } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html, name } from "../html/html.ts"
import type { Period } from "./period.ts"

export interface PeriodFigure {
  readonly column: string
  readonly label: string
  readonly format: (value: unknown) => string
  /** Of a figure that is made of days: the column with their number. */
  readonly days?: string
  /** Of a level: the column with its day. */
  readonly on?: string
  /** The column that names what the figure is of. */
  readonly named?: string
  /** Whether it means something to add the figures of several vaults. */
  readonly isSummed?: boolean
  /** Whether the service gives it by address alone, so that vaults of one address on several chains share one figure. */
  readonly isOfAddress?: boolean
}

export const pnlChange: PeriodFigure = {
  column: "pnl_usd_change",
  label: "PnL, USD",
  format: money,
  days: "pnl_days",
  isSummed: true,
  isOfAddress: true,
}

export const netReturn: PeriodFigure = {
  column: "net_holder_return",
  label: "Return, net",
  format: percent,
  days: "net_holder_return_days",
}

export const drawdown: PeriodFigure = {
  column: "drawdown",
  label: "Drawdown",
  format: percent,
  days: "ratio_days",
}

export const periodFigures: ReadonlyArray<PeriodFigure> = [
  { column: "nav_usd", label: "Net value, USD", format: money, on: "nav_on", isSummed: true },
  pnlChange,
  netReturn,
  {
    column: "ratio_return",
    label: "Return of the ratio",
    format: percent,
    days: "ratio_return_days",
  },
  {
    column: "apy_smoothed",
    label: "APY, smoothed",
    format: percent,
    days: "apy_smoothed_days",
  },
  { column: "apy_unsmoothed", label: "APY, raw", format: percent, days: "apy_unsmoothed_days" },
  drawdown,
  { column: "volatility", label: "Volatility", format: percent, days: "volatility_days" },
  { column: "collateral_ratio_low", label: "Lowest ratio", format: ratio, days: "ratio_days" },
  {
    column: "hours_below_par",
    label: "Hours below par",
    format: count,
    days: "ratio_days",
    isSummed: true,
    isOfAddress: true,
  },
  {
    column: "concentration_hhi",
    label: "Concentration",
    format: times,
    days: "concentration_days",
    named: "top_protocol",
  },
  { column: "fees_usd", label: "Fees, USD", format: money, days: "fees_usd_days", isSummed: true },
]

/** What the columns are, for the caption of a table of them. */
export const periodNotes =
  "PnL is the change of the unrealized PnL, return that of ratio and raw APY net of estimated fees, APY a mean of the days, concentration the mean Herfindahl index with the largest protocol at the end. A figure of a part of the period says of how many days it is."

/** The figure of a row of mart.vault_period, marked where it is of a part of the period. */
export const periodCell = (
  { column, format, days, on, named }: PeriodFigure,
  row: Row | undefined,
  period: Pick<Period, "days" | "to">,
): Html => {
  const value = row?.[column]
  if (value === undefined || value === null) return html`<span class="missing">${MISSING}</span>`
  const found = days === undefined ? period.days : Number(row?.[days] ?? 0)
  const day = on === undefined ? period.to : String(row?.[on])
  const part =
    found < period.days
      ? `${count(found)} of ${counted(period.days, "day")}`
      : day !== period.to
        ? `of ${day}`
        : undefined
  const of = named === undefined ? null : (row?.[named] ?? null)
  return html`${format(value)}${of !== null && html`<span class="note">${name(String(of))}</span>`}${part !== undefined && html`<span class="note">${part}</span>`}`
}

/** The sum over vaults, with how many have the figure if not all do. A figure of an address counts once. */
export const periodTotal = (
  { column, format, isOfAddress }: PeriodFigure,
  rows: ReadonlyArray<Row>,
): Html => {
  const known = rows.filter((row) => row[column] !== null)
  if (known.length === 0) return html`<span class="missing">${MISSING}</span>`
  const added =
    isOfAddress === true
      ? [...new Map(known.map((row) => [row["vault_address"], row])).values()]
      : known
  const sum = added.reduce((total, row) => total + Number(row[column]), 0)
  return html`${format(sum)}${known.length < rows.length && html`<span class="note">${known.length} of ${counted(rows.length, "vault")}</span>`}`
}

/** As list of terms, for one vault. */
export const periodFigureList = (row: Row, period: Period): Html =>
  html`<dl class="figures">
    ${periodFigures.map(
      (figure) =>
        html`<div>
          <dt>${figure.label}</dt>
          <dd>${periodCell(figure, row, period)}</dd>
        </div>`,
    )}
  </dl>`
