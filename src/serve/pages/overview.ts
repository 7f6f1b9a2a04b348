// Every vault at a glance, those in trouble first, with the reason in words. All figures and words come from
// warehouse/serve/overview.sql and troubles.sql.
import * as Effect from "effect/Effect"
import { type PublishedCopy, sqlFile } from "../../pipelines/readers/published.ts"
import { count, figure, instant, MISSING, money, percent, ratio, times } from "../html/figures.ts"
import { html, type Html, name, nothing, type Part } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { sparkline } from "../html/sparkline.ts"
import { table } from "../html/table.ts"
import { latestTrace, vaultPage } from "../links.ts"

type Row = Readonly<Record<string, unknown>>

export interface Overview {
  /** Those with the worst trouble first. */
  readonly vaults: ReadonlyArray<Row & { readonly troubles: ReadonlyArray<Row> }>
}

export const readOverview = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const vaults = yield* copy.rows(sqlFile("serve", "overview"))
  const troubles = yield* copy.rows(sqlFile("serve", "troubles"))
  const byVault = Map.groupBy(troubles, keyOf)
  const placed = vaults.map((vault) => ({ ...vault, troubles: byVault.get(keyOf(vault)) ?? [] }))
  return { vaults: placed.toSorted(worstFirst) } satisfies Overview
})

const keyOf = (row: Row): string => `${String(row["chain_id"])} ${String(row["vault_address"])}`

type Vault = Overview["vaults"][number]

const NO_TROUBLE = 9

const worst = ({ troubles }: Vault): number => Number(troubles[0]?.["severity"] ?? NO_TROUBLE)

const tvl = (vault: Vault): number => Number(vault["tvl_usd"] ?? 0)

/** By the worst trouble, then by TVL; vaults that have ended come last. */
const worstFirst = (one: Vault, other: Vault): number =>
  Number(one["is_ended"]) - Number(other["is_ended"]) ||
  worst(one) - worst(other) ||
  tvl(other) - tvl(one)

export const overviewPage = ({ vaults }: Overview): Page => ({
  title: "Overview",
  section: "overview",
  body: html`<h1>Vaults</h1>
    <p class="lead">${summary(vaults)}</p>
    ${table({
      caption: "Every vault, those in trouble first",
      className: "overview",
      rows: vaults,
      empty: "The warehouse has no vault yet.",
      columns: [
        { label: "Vault", cell: vaultCell },
        { label: "Collateral ratio", align: "right", cell: ratioCell },
        { label: "90 days", cell: lineCell },
        {
          label: "APY",
          align: "right",
          cell: (row) =>
            figure(
              percent(row["apy_smoothed"]),
              row["apy_smoothed_on"],
              trace(row, "apy_smoothed"),
            ),
        },
        {
          label: "TVL, USD",
          align: "right",
          cell: (row) =>
            figure(money(row["tvl_usd"]), row["tvl_at"], trace(row, String(row["tvl_column"]))),
        },
        { label: "Withdrawals", align: "right", cell: withdrawalsCell },
        { label: "Oldest series", align: "right", cell: freshnessCell },
      ],
    })}`,
})

const trace = latestTrace

const summary = (vaults: ReadonlyArray<Vault>): Html => {
  const of = (severity: number) => vaults.filter((vault) => worst(vault) === severity).length
  const [critical, warned, noted] = [of(1), of(2), of(3)]
  return html`${count(vaults.length)} ${vaults.length === 1 ? "vault" : "vaults"}:
    <strong class="severity-1">${count(critical)} in trouble</strong>,
    <strong class="severity-2">${count(warned)} to watch</strong>, ${count(noted)} with incomplete
    data, ${count(vaults.length - critical - warned - noted)} with nothing to report.`
}

const vaultCell = (row: Vault): Html =>
  html`<a class="vault" href="${vaultPage(row)}">${name(vaultName(row))}</a>
    <span class="chain">${chainText(row)}</span>
    ${row.troubles.length > 0 && troubleList(row.troubles)}`

export const vaultName = (row: Row): string =>
  row["vault_name"] === null ? String(row["vault_address"]) : String(row["vault_name"])

const chainText = (row: Row): string =>
  [
    `chain ${String(row["chain_id"])}`,
    ...(row["status"] === "active" ? [] : [String(row["status"] ?? "status unknown")]),
    ...(row["is_ended"] === true ? ["ended"] : []),
  ].join(", ")

/** Severity of what is wrong with the data, not with the vault. */
const DATA = 3

const severityWords: Readonly<Record<number, string>> = { 1: "Trouble", 2: "Watch", 3: "Data" }

/** In words, each linked to its figure; what is wrong with the data is one line. */
export const troubleList = (troubles: ReadonlyArray<Row>): Html => {
  const [onData = [], others = []] = [true, false].map((isData) =>
    troubles.filter(({ severity }) => (severity === DATA) === isData),
  )
  return html`<ul class="troubles">
    ${others.map((trouble) => troubleItem(Number(trouble["severity"]), troubleWords(trouble)))}
    ${onData.length > 0 && troubleItem(DATA, onData.map(({ words }) => String(words)).join("; "))}
  </ul>`
}

const troubleItem = (severity: number, words: Part): Html =>
  html`<li class="severity-${severity}">
    <span class="mark">${severityWords[severity]}</span> <span>${words}</span>
  </li>`

const troubleWords = (trouble: Row): Part => {
  const { figure: column, words } = trouble
  return typeof column === "string"
    ? html`<a href="${trace(trouble, column)}">${String(words)}</a>`
    : String(words)
}

const ratioCell = (row: Vault): Html => {
  const drawdown = row["drawdown_90d"]
  return html`${figure(ratio(row["collateral_ratio"]), row["ratio_at"], trace(row, "collateral_ratio"))}
  ${drawdown !== null && html`<span class="note">${percent(drawdown)} below high</span>`}`
}

const DAYS = 90

/** Days before a vault's first point or after its last. */
const holes = (days: number): ReadonlyArray<null> =>
  Array.from({ length: Math.max(0, days) }, () => null)

const lineCell = (row: Vault): Html => {
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
  const share = row["pending_withdrawals_share"]
  const cover = row["withdrawal_buffer_adequacy"]
  return html`${figure(percent(share), row["withdrawals_since_at"], trace(row, "pending_withdrawals_share"))}
  ${cover !== null && html`<span class="note">buffer ${times(cover)} ×</span>`}`
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
