// Shows one vault: its newest figures, troubles, charts, history and holdings.
import * as Effect from "effect/Effect"
import { html, type Html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { troubleList } from "../html/troubles.ts"
import { latestTrace } from "../links.ts"
import { type Site, sqlSection } from "../site.ts"
import { findVault, type Vault, vaultName } from "../vaults.ts"
import { vaultCharts } from "./vaultCharts.ts"
import { figureList } from "./vaultFigures.ts"
import { vaultHistory } from "./vaultHistory.ts"
import { vaultHoldings } from "./vaultHoldings.ts"

/** Figures and troubles come from the overview; the sections are read while the browser already shows the page. */
export const readVaultPage = Effect.fnUntraced(function* (
  site: Site,
  chainId: string,
  vaultAddress: string,
) {
  const vault = yield* findVault(yield* site.overview, chainId, vaultAddress)
  const key = { chain_id: Number(chainId), vault_address: vaultAddress }
  return {
    title: vaultName(vault),
    scripts: ["chart.js"],
    styles: ["uplot.css"],
    body: html`<h1>${name(vaultName(vault))}</h1>
      <p class="lead">
        <span class="code">${vaultAddress}</span> on chain ${chainId}
        (${String(vault["chain_type"])}),
        ${String(vault["status"] ?? "status unknown")}${vault["is_ended"] === true && ", ended"}
      </p>
      ${verdict(vault)} ${figureList(vault)} ${hasHistory(vault) && vaultCharts(vault)}`,
    sections: Object.entries({ ...vaultHistory(vault), ...vaultHoldings(vault) }).map(
      ([part, section]) => sqlSection(site, "vault", part, section, key),
    ),
  } satisfies Page
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

/** Whether it has a point of a series that the charts show. */
const hasHistory = (vault: Vault): boolean =>
  ["ratio_at", "pnl_at", "apy_smoothed_on", "apy_unsmoothed_on"].some(
    (asOf) => vault[asOf] !== null,
  )
