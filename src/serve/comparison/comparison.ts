// Several vaults side by side over a period: a table of their figures, and their series over one another or, where they
// are too many for one chart, in small charts on one scale. On a page and in a report.
import type { Picture } from "../charts/picture.ts"
import { count } from "../figures.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html, name, nothing } from "../html/html.ts"
import { type Sorting, sortLink } from "../html/sorting.ts"
import { sparkline } from "../html/sparkline.ts"
import { svgChart } from "../html/svgChart.ts"
import { table } from "../html/table.ts"
import { periodCell, periodFigures, periodNotes, periodTotal } from "../periods/figures.ts"
import { counted } from "../../domain/values/numbers.ts"
import { parseDay } from "../../domain/values/time.ts"
import type { QueryParameters } from "../../domain/values/queryParameter.ts"
import { filledSql } from "../sql/filledSql.ts"
import { type Vault, vaultName } from "../vaults.ts"
import type { ComparedChart, Span } from "./readComparison.ts"

/** More lines than these can't be told apart in one chart. */
export const MAX_LINES = 12

export interface ComparedVault {
  readonly vault: Vault
  /** Its row of mart.vault_period. */
  readonly figures: Row | undefined
}

/** What the table is sorted by, and the address of another order; absent where it can't be sorted. */
export interface TableSorting {
  readonly now: Sorting
  readonly href: (sort: string) => string
}

export const comparisonTable = (
  vaults: ReadonlyArray<ComparedVault>,
  period: { readonly days: number; readonly from: string; readonly to: string },
  vaultCell: (vault: Vault) => Html,
  sorting?: TableSorting,
): Html => {
  const sort = (column: string) =>
    sorting === undefined ? {} : { sort: sortLink(sorting.now, column, sorting.href) }
  const rows = vaults.flatMap(({ figures }) => (figures === undefined ? [] : [figures]))
  return table<ComparedVault>({
    caption: `${counted(vaults.length, "vault")} from ${period.from} to ${period.to}, ${counted(period.days, "day")}. ${periodNotes}`,
    rows: vaults,
    empty: "No vault is chosen.",
    ...(sorting === undefined
      ? {}
      : { source: { sql: sqlOf(vaults, period), what: "Comparison" } }),
    columns: [
      { label: "Vault", cell: ({ vault }) => vaultCell(vault), ...sort("vault_name") },
      ...periodFigures.map((figure) => ({
        label: figure.label,
        align: "right" as const,
        cell: ({ figures }: ComparedVault) => periodCell(figure, figures, period),
        ...(vaults.length > 1
          ? { total: figure.isSummed === true ? periodTotal(figure, rows) : nothing }
          : {}),
        ...sort(figure.column),
      })),
    ],
  })
}

const sqlOf = (
  vaults: ReadonlyArray<ComparedVault>,
  { from, to }: { readonly from: string; readonly to: string },
): string => {
  const keys = vaults.map((_, at) => `($chain_${at}, $vault_${at})`).join(",\n    ")
  return filledSql(
    `select *\nfrom mart.vault_period($from_day, $to_day)\nwhere (chain_id, vault_address) in (\n    ${keys}\n)`,
    Object.fromEntries([
      ["from_day", { day: parseDay(from) ?? 0 }],
      ["to_day", { day: parseDay(to) ?? 0 }],
      ...vaults.flatMap(({ vault }, at) => [
        [`chain_${at}`, Number(vault["chain_id"])],
        [`vault_${at}`, String(vault["vault_address"])],
      ]),
    ]) as QueryParameters,
  )
}

export const comparisonCharts = (
  pictures: ReadonlyArray<readonly [ComparedChart, Picture]>,
  vaults: ReadonlyArray<Vault>,
  { fromAt, toAt }: Span,
): Html =>
  vaults.length > MAX_LINES
    ? html`${pictures.map(([chart, picture]) => smallCharts(chart, picture, vaults))}`
    : html`<div class="charts">
        ${pictures.map(([{ title, format, level }, picture]) =>
          svgChart({ title, format, level }, picture, { from: fromAt, to: toAt }),
        )}
      </div>`

const smallCharts = (
  { title, format, level }: ComparedChart,
  { times, lines }: Picture,
  vaults: ReadonlyArray<Vault>,
): Html => {
  const known = lines.flatMap(({ figures }) => figures.filter((figure) => figure !== null))
  if (known.length === 0)
    return html`<h3>${title}</h3>
      <p class="empty">No points.</p>`
  const range = known.reduce<readonly [number, number]>(
    ([low, high], figure) => [Math.min(low, figure), Math.max(high, figure)],
    [Infinity, -Infinity],
  )
  return html`<h3>${title}</h3>
    <p class="note">
      All ${count(vaults.length)} on one scale, from ${format(range[0])} to ${format(range[1])}
    </p>
    <ul class="multiples">
      ${vaults.map((vault, at) => {
        const figures = lines[at]?.figures ?? []
        const last = figures.findLast((figure) => figure !== null) ?? null
        const label = `${title} of ${vaultName(vault)}, at the end ${format(last)}`
        return html`<li>
          ${name(vaultName(vault))} <span class="number">${format(last)}</span>
          ${sparkline(figures, level, label, { range, times })}
        </li>`
      })}
    </ul>`
}
