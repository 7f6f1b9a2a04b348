// Shows one vault: its newest figures, troubles, charts, history and holdings.
import * as Effect from "effect/Effect"
import { counted } from "../../domain/values/numbers.ts"
import { html, type Html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { troubleList } from "../html/troubles.ts"
import { comparePage, latestTrace, vaultPage } from "../links.ts"
import { periodFigureList, periodNotes } from "../periods/figures.ts"
import { type Period, periodOf, type PeriodText } from "../periods/period.ts"
import { type Site, sqlSection } from "../site.ts"
import { findVault, keyOf, type Vault, vaultName } from "../vaults.ts"
import { vaultCharts } from "./vaultCharts.ts"
import { figureList } from "./vaultFigures.ts"
import { vaultHistory } from "./vaultHistory.ts"
import { vaultHoldings } from "./vaultHoldings.ts"

/** Figures and troubles come from the overview; the sections are read while the browser already shows the page. */
export const readVaultPage = Effect.fnUntraced(function* (
  site: Site,
  chainId: string,
  typed: string,
  days: PeriodText,
) {
  const overview = yield* site.overview
  const vault = yield* findVault(overview, chainId, typed)
  // As it is stored, however it was typed.
  const vaultAddress = String(vault["vault_address"])
  // The one that the address stands for, if that is another.
  const other = hasHistory(vault)
    ? undefined
    : overview.vaults.find((each) => each["vault_address"] === vaultAddress && hasHistory(each))
  const period = yield* periodOf(days, overview.whole, CHART_DAYS)
  const key = { chain_id: Number(chainId), vault_address: vaultAddress }
  return {
    title: vaultName(vault),
    scripts: ["chart.js"],
    styles: ["uplot.css"],
    body: html`<h1>${name(vaultName(vault))}</h1>
      <p class="lead">
        <span class="code">${vaultAddress}</span> on chain ${chainId}
        (${String(vault["chain_type"])}),
        ${String(vault["status"] ?? "status unknown")}${vault["is_ended"] === true && ", ended"}${vault["receipt_token_symbol"] !== null && html`, receipt token ${name(String(vault["receipt_token_symbol"]))}`}
      </p>
      ${verdict(vault)} ${other !== undefined && sharedAddress(other)} ${figureList(vault)}
      ${hasHistory(vault) && vaultCharts(vault, period, overview.whole)}`,
    sections: [
      ...(hasHistory(vault) ? [periodSection(site, vault, period)] : []),
      ...Object.entries({ ...vaultHistory(vault), ...vaultHoldings(vault) }).map(
        ([part, section]) => sqlSection(site, "vault", part, section, key),
      ),
    ],
  } satisfies Page
})

// What the charts show at first.
const CHART_DAYS = 90

/** The figures of the period that the page was opened with. */
const periodSection = ({ periodFigures }: Site, vault: Vault, period: Period) =>
  Effect.map(periodFigures(period), (all) => {
    const row = all.get(keyOf(vault))
    return html`<section aria-labelledby="period">
      <h2 id="period">From ${period.from} to ${period.to}</h2>
      <p class="note">
        ${counted(period.days, "day")}. ${periodNotes}
        <a href="${comparePage([vault], period)}">Compare with other vaults</a>
      </p>
      ${row === undefined ? html`<p class="empty">There are no figures.</p>` : periodFigureList(row, period)}
    </section>`
  })

/** What is wrong with the vault. Of one that has ended nothing is looked for, and one without figures can't be judged. */
const verdict = (vault: Vault): Html => {
  if (vault.troubles.length > 0) return troubleList(vault.troubles, latestTrace)
  if (vault["is_ended"] === true) {
    return html`<p class="note">
      It has ended: its figures are the last ones, and no trouble of it is reported.
    </p>`
  }
  return hasHistory(vault) || vault["nav_at"] !== null
    ? html`<p class="good">Nothing is wrong with it.</p>`
    : html`<p class="note">No figure of it has been read yet.</p>`
}

/** Below are the address's ratio, APY and PnL, which the service gives without a chain. */
const sharedAddress = (other: Vault): Html =>
  html`<p class="note">
    Its address is also that of
    <a href="${vaultPage(other)}">${name(vaultName(other))} on chain ${String(other["chain_id"])}</a
    >, for which the service’s collateral ratio, APY and PnL are taken: those below are of that
    vault.
  </p>`

/** Whether it has a point of a series that the charts show. */
const hasHistory = (vault: Vault): boolean =>
  ["ratio_at", "pnl_at", "apy_smoothed_on", "apy_unsmoothed_on"].some(
    (asOf) => vault[asOf] !== null,
  )
