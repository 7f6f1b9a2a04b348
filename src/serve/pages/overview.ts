// The overview page: every vault with its main figures and troubles, those in trouble first.
import * as Effect from "effect/Effect"
import { counted } from "../../domain/values/numbers.ts"
import { parseDay } from "../../domain/values/time.ts"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { count, instant, MISSING, money, multiple, percent, ratio } from "../figures.ts"
import { html, type Html, name, nothing } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { sorted, sortingOf, sortLink } from "../html/sorting.ts"
import { sparkline } from "../html/sparkline.ts"
import { table } from "../html/table.ts"
import { troubleList } from "../html/troubles.ts"
import { latestTrace, vaultPage, vaultParameter, withParameters } from "../links.ts"
import type { VaultPeriod } from "../periodFigures.ts"
import { drawdown, netReturn, periodCell, pnlChange } from "../periods/figures.ts"
import { type Days, INITIAL_DAYS, periodOf } from "../periods/period.ts"
import { periodForm } from "../periods/periodForm.ts"
import type { Site } from "../site.ts"
import { filledSql } from "../sql/filledSql.ts"
import { keyOf, type Vault, vaultName } from "../vaults.ts"
import { lateAge, latestFigure } from "./vaultFigures.ts"
import {
  filtered,
  filterForm,
  filterSql,
  hasState,
  isFiltered,
  type OverviewAddress,
  parametersBut,
  states,
} from "./filter.ts"

/** What a row can be sorted by, besides the figures of the period. */
const sortKeys = {
  vault: "vault_name",
  ratio: "collateral_ratio",
  apy: "apy_smoothed",
  tvl: "tvl_usd",
  withdrawals: "pending_withdrawals_share",
  oldest: "oldest_at",
} as const

const shownFigures = [pnlChange, netReturn, drawdown]

interface OverviewRow extends Vault {
  readonly period: VaultPeriod | undefined
}

/** A vault with the figures of the period, under their names where it has no figure of that name. */
const withPeriod = (vault: Vault, period: VaultPeriod | undefined): OverviewRow => ({
  ...Object.fromEntries(shownFigures.map(({ column }) => [column, period?.[column] ?? null])),
  ...vault,
  period,
})

export const readOverviewPage = Effect.fnUntraced(function* (
  { overview, periodFigures }: Site,
  address: OverviewAddress,
) {
  const { vaults, whole } = yield* overview
  const period = yield* periodOf(address, whole, INITIAL_DAYS)
  const columns = [...Object.values(sortKeys), ...shownFigures.map(({ column }) => column)]
  const sorting = yield* sortingOf(address.sort, columns)
  const found = yield* filtered(vaults, address)
  const figures = vaults.length === 0 ? new Map<string, never>() : yield* periodFigures(period)
  const rows = sorted(
    found.map((vault) => withPeriod(vault, figures.get(keyOf(vault)))),
    sorting,
  )
  const sort = (column: string) =>
    sortLink(sorting, column, (next) =>
      withParameters("/", [...parametersBut(address, "sort"), ["sort", next]]),
    )
  const which = isFiltered(address)
    ? `${count(rows.length)} of ${count(vaults.length)} vaults`
    : "Every vault"
  const others = parametersBut(address, "from", "to")
  return {
    title: "Overview",
    section: "overview",
    body: html`<h1>Vaults</h1>
      <p class="lead">${summary(vaults)}</p>
      ${vaults.length > 1 && filterForm(vaults, address)}
      ${vaults.length > 0 && periodForm({ path: "/", others, period, whole })}
      <form method="get" action="/compare" id="compare">
        <input type="hidden" name="from" value="${period.from}" />
        <input type="hidden" name="to" value="${period.to}" />
      </form>
      ${table<OverviewRow>({
        caption: html`${which}${sorting.by === undefined ? ", those in trouble first" : ""}. PnL,
        return and drawdown are of ${period.from} to ${period.to}; return is net of estimated fees.`,
        rows,
        source: { sql: sqlOf(address, period), what: "Vaults" },
        empty:
          vaults.length === 0
            ? "The warehouse has no vault yet."
            : `None of the ${count(vaults.length)} vaults matches.`,
        columns: [
          { label: "Vault", cell: vaultCell, sort: sort(sortKeys.vault) },
          {
            label: "Collateral ratio",
            align: "right",
            cell: ratioCell,
            sort: sort(sortKeys.ratio),
          },
          { label: "In the period", cell: (row) => sparklineCell(row, period) },
          ...shownFigures.map((each) => ({
            label: each.label,
            align: "right" as const,
            cell: (row: OverviewRow) => periodCell(each, row.period, period),
            sort: sort(each.column),
          })),
          {
            label: "APY",
            align: "right",
            cell: (row) => latestFigure(row, "apy_smoothed", percent, "apy_smoothed_on"),
            sort: sort(sortKeys.apy),
          },
          {
            label: "TVL, USD",
            align: "right",
            cell: (row) => latestFigure(row, "nav_usd", money, "nav_at"),
            sort: sort(sortKeys.tvl),
          },
          {
            label: "Withdrawals",
            align: "right",
            cell: withdrawalsCell,
            sort: sort(sortKeys.withdrawals),
          },
          {
            label: "Oldest series",
            align: "right",
            cell: freshnessCell,
            sort: sort(sortKeys.oldest),
          },
        ],
      })}
      ${rows.length > 0 && html`<p class="actions"><button form="compare">Compare the marked vaults</button></p>`}`,
  } satisfies Page
})

/** What the table shows, and the other columns of overview.sql. */
const sqlOf = (address: OverviewAddress, { from, to }: Days): string => {
  const { conditions, values } = filterSql(address)
  return filledSql(
    `select vaults.*, ${shownFigures.map(({ column }) => `period.${column}`).join(", ")}
from (
${sqlFile("serve", "overview")}
) as vaults
left join mart.vault_period($from_day, $to_day) as period using (chain_id, vault_address)
${conditions.length === 0 ? "" : `where ${conditions.join("\n    and ")}\n`}order by vaults.is_ended, vaults.vault_name, chain_id, vault_address`,
    { ...values, from_day: { day: parseDay(from) ?? 0 }, to_day: { day: parseDay(to) ?? 0 } },
  )
}

const summary = (vaults: ReadonlyArray<Vault>): Html => {
  const counts = states.map(({ severity, description }, place) => {
    const vaultsInState = vaults.filter((vault) => hasState(vault, severity))
    const text = `${count(vaultsInState.length)} ${description}`
    return html`${place > 0 && ", "}${severity < 3 ? html`<strong class="severity-${severity}">${text}</strong>` : text}`
  })
  return html`${counted(vaults.length, "vault")}: ${counts}.`
}

const vaultCell = (row: Vault): Html =>
  html`<input
      type="checkbox"
      name="vault"
      value="${vaultParameter(row)}"
      form="compare"
      aria-label="Compare ${vaultName(row)}"
    />
    <a class="vault" href="${vaultPage(row)}">${name(vaultName(row))}</a>
    <span class="chain">${chainText(row)}</span>
    ${row.troubles.length > 0 && troubleList(row.troubles, latestTrace)}`

const chainText = (row: Vault): string =>
  [
    `chain ${String(row["chain_id"])}`,
    ...(row["status"] === "active" ? [] : [String(row["status"] ?? "status unknown")]),
    ...(row["is_ended"] === true ? ["ended"] : []),
  ].join(", ")

const ratioCell = (row: Vault): Html => latestFigure(row, "collateral_ratio", ratio, "ratio_at")

const sparklineCell = ({ period }: OverviewRow, { from, to }: Days): Html => {
  const known = (period?.ratios ?? []).filter((each) => each !== null)
  if (period === undefined || known.length === 0) return nothing
  return sparkline(
    period.ratios,
    1,
    `Collateral ratio from ${from} to ${to}: between ${ratio(Math.min(...known))} and ${ratio(Math.max(...known))}, at the end ${ratio(known.at(-1))}`,
  )
}

const withdrawalsCell = (row: Vault): Html => {
  const cover = row["withdrawal_buffer_adequacy"]
  const lateBuffer = lateAge(row, "nav_at")
  return html`${latestFigure(row, "pending_withdrawals_share", percent, "withdrawals_since_at")}
  ${
    cover !== null &&
    html`<span class="note"
      >buffer
      ${multiple(cover)}${lateBuffer !== undefined && html`, <strong class="severity-2">${lateBuffer}</strong>`}</span
    >`
  }`
}

const freshnessCell = (row: Vault): Html => {
  const stale = Number(row["stale_series"] ?? 0)
  return row["oldest_at"] === null
    ? html`<span class="missing">${MISSING}</span>`
    : html`${instant(row["oldest_at"])}
        <span class="note"
          >${String(row["oldest_series"])}${stale > 0 && html`, ${count(stale)} of ${count(row["series"])} stale`}</span
        >`
}
