// The overview page: every vault with its main figures and troubles, those in trouble first.
import * as Effect from "effect/Effect"
import { counted } from "../../domain/values/numbers.ts"
import { count, instant, MISSING, money, multiple, percent, ratio } from "../figures.ts"
import { html, type Html, name, nothing } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { sparkline } from "../html/sparkline.ts"
import { table } from "../html/table.ts"
import { troubleList } from "../html/troubles.ts"
import { latestTrace, vaultPage } from "../links.ts"
import { type Overview, type Vault, vaultName } from "../vaults.ts"
import { lateAge, latestFigure } from "./vaultFigures.ts"
import { type Filter, filtered, filterForm, hasState, isFiltered, states } from "./filter.ts"

export const overviewPage = ({ vaults }: Overview, filter: Filter) =>
  Effect.map(filtered(vaults, filter), (shown): Page => ({
    title: "Overview",
    section: "overview",
    body: html`<h1>Vaults</h1>
      <p class="lead">${summary(vaults)}</p>
      ${vaults.length > 1 && filterForm(vaults, filter)}
      ${table({
        caption: isFiltered(filter)
          ? `${count(shown.length)} of ${count(vaults.length)} vaults, those in trouble first`
          : "Every vault, those in trouble first",
        className: "cards",
        rows: shown,
        empty:
          vaults.length === 0
            ? "The warehouse has no vault yet."
            : `None of the ${count(vaults.length)} vaults matches.`,
        columns: [
          { label: "Vault", cell: vaultCell },
          { label: "Collateral ratio", align: "right", cell: ratioCell },
          { label: "90 days", cell: sparklineCell },
          {
            label: "APY",
            align: "right",
            cell: (row) => latestFigure(row, "apy_smoothed", percent, "apy_smoothed_on"),
          },
          {
            label: "TVL, USD",
            align: "right",
            cell: (row) => latestFigure(row, String(row["tvl_column"]), money, "tvl_at"),
          },
          { label: "Withdrawals", align: "right", cell: withdrawalsCell },
          { label: "Oldest series", align: "right", cell: freshnessCell },
        ],
      })}`,
  }))

const summary = (vaults: ReadonlyArray<Vault>): Html => {
  const counts = states.map(({ severity, description }, place) => {
    const vaultsInState = vaults.filter((vault) => hasState(vault, severity))
    const text = `${count(vaultsInState.length)} ${description}`
    return html`${place > 0 && ", "}${severity < 3 ? html`<strong class="severity-${severity}">${text}</strong>` : text}`
  })
  return html`${counted(vaults.length, "vault")}: ${counts}.`
}

const vaultCell = (row: Vault): Html =>
  html`<a class="vault" href="${vaultPage(row)}">${name(vaultName(row))}</a>
    <span class="chain">${chainText(row)}</span>
    ${row.troubles.length > 0 && troubleList(row.troubles, latestTrace)}`

const chainText = (row: Vault): string =>
  [
    `chain ${String(row["chain_id"])}`,
    ...(row["status"] === "active" ? [] : [String(row["status"] ?? "status unknown")]),
    ...(row["is_ended"] === true ? ["ended"] : []),
  ].join(", ")

const ratioCell = (row: Vault): Html => {
  const drawdown = row["drawdown_90d"]
  return html`${latestFigure(row, "collateral_ratio", ratio, "ratio_at")}
  ${drawdown !== null && html`<span class="note">${percent(drawdown)} below high</span>`}`
}

const DAYS = 90

/** Missing values for days before a vault's first point or after its last. */
const holes = (days: number): ReadonlyArray<null> =>
  Array.from({ length: Math.max(0, days) }, () => null)

const sparklineCell = (row: Vault): Html => {
  const values = row["ratios"]
  if (!Array.isArray(values)) return nothing
  return sparkline(
    [
      ...holes(DAYS - 1 - Number(row["ratios_days_since_first"])),
      ...values.map((value) => (value === null ? null : Number(value))),
      ...holes(Number(row["ratios_days_since_last"])),
    ],
    1,
    `Collateral ratio since ${instant(row["ratios_from_on"])}: between ${ratio(row["ratio_low_90d"])} and ${ratio(row["ratio_high_90d"])}, now ${ratio(row["collateral_ratio"])}`,
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
