// One vault: its newest figures, what is wrong with it, and the rows behind them.
import * as Effect from "effect/Effect"
import { NotThere } from "../../pipelines/readers/NotThere.ts"
import { parametersIn, sqlFile } from "../../pipelines/readers/published.ts"
import type { Row } from "../html/columns.ts"
import { html, type Html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import type { Site } from "../site.ts"
import { troubleList, vaultName } from "./overview.ts"
import { vaultCharts } from "./vaultCharts.ts"
import { figureList } from "./vaultFigures.ts"
import { vaultHistory } from "./vaultHistory.ts"
import { vaultHoldings } from "./vaultHoldings.ts"

/** How the rows of `warehouse/serve/vault_<name>.sql` are shown. */
export type Sections = Readonly<Record<string, (rows: ReadonlyArray<Row>) => Html>>

/** Figures and troubles are those of the overview; the sections are read while the page is already shown. */
export const readVaultPage = Effect.fnUntraced(function* (
  { latest, overview }: Site,
  chainId: string,
  vaultAddress: string,
) {
  const { vaults } = yield* overview
  const vault = vaults.find(
    (each) => String(each["chain_id"]) === chainId && each["vault_address"] === vaultAddress,
  )
  if (vault === undefined) {
    return yield* new NotThere({
      why: `There is no vault ${vaultAddress} on chain ${chainId}.`,
      advice: "The overview lists every vault.",
    })
  }
  const key = { chain_id: Number(chainId), vault_address: vaultAddress }
  const sections = { ...vaultHistory(vault), ...vaultHoldings(vault) }
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
      ${vault.troubles.length > 0 ? troubleList(vault.troubles) : html`<p class="good">Nothing is wrong with it.</p>`}
      ${figureList(vault)} ${vaultCharts(vault)}`,
    sections: Object.entries(sections).map(([part, show]) => {
      const sql = sqlFile("serve", `vault_${part}`)
      return latest.read((copy) => Effect.map(copy.rows(sql, parametersIn(sql, key)), show))
    }),
  } satisfies Page
})
