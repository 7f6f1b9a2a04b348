// One vault: its figures as they stand, what is wrong with it, and what they follow from.
import * as Effect from "effect/Effect"
import { parametersIn, type PublishedCopy, sqlFile } from "../../pipelines/readers/published.ts"
import { NotThere } from "../../pipelines/readers/NotThere.ts"
import { html, name } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import type { Site } from "../site.ts"
import type { Overview } from "./overview.ts"
import { troubleList, vaultName } from "./overview.ts"
import { figureList } from "./vaultFigures.ts"
import { vaultTables } from "./vaultTables.ts"

type Row = Readonly<Record<string, unknown>>

/** SQL of each part: `warehouse/serve/vault_<part>.sql`. */
const parts = [
  "below_par",
  "days",
  "allocation",
  "subaccounts",
  "withdrawals",
  "timelocks",
  "governance",
  "fees",
  "loans",
  "series",
] as const

export type VaultParts = Readonly<Record<(typeof parts)[number], ReadonlyArray<Row>>>

export const readVaultPage = Effect.fnUntraced(function* (
  { latest, overview }: Site,
  chain_id: string,
  vault_address: string,
) {
  const all = yield* overview
  return yield* latest.read((copy) => readVault(copy, all, { chain_id, vault_address }))
})

const readVault = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  overview: Overview,
  { chain_id, vault_address }: { readonly chain_id: string; readonly vault_address: string },
) {
  const key = { chain_id: Number(chain_id), vault_address }
  const [vault] = Number.isSafeInteger(key.chain_id)
    ? yield* copy.rows(sqlFile("serve", "vault"), key)
    : []
  if (vault === undefined) {
    return yield* new NotThere({
      why: `There is no vault ${vault_address} on chain ${chain_id}.`,
      advice: "The overview lists every vault.",
    })
  }
  const read = (part: (typeof parts)[number]) => {
    const sql = sqlFile("serve", `vault_${part}`)
    return Effect.map(copy.rows(sql, parametersIn(sql, key)), (rows) => [part, rows] as const)
  }
  const found = Object.fromEntries(yield* Effect.forEach(parts, read)) as VaultParts
  const troubles =
    overview.vaults.find(
      (each) => each["chain_id"] === vault["chain_id"] && each["vault_address"] === vault_address,
    )?.troubles ?? []
  return vaultPageOf(vault, troubles, found)
})

const vaultPageOf = (vault: Row, troubles: ReadonlyArray<Row>, found: VaultParts): Page => ({
  title: vaultName(vault),
  body: html`<h1>${name(vaultName(vault))}</h1>
    <p class="lead">
      <span class="code">${String(vault["vault_address"])}</span> on chain
      ${String(vault["chain_id"])} (${String(vault["chain_type"])}),
      ${String(vault["status"] ?? "status unknown")}${vault["is_ended"] === true && ", ended"}
    </p>
    ${troubles.length > 0 ? troubleList(troubles) : html`<p class="good">Nothing is wrong with it.</p>`}
    ${figureList(vault)} ${vaultTables(vault, found)}`,
})
