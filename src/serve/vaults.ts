// Every vault with its figures and what is wrong with it, as warehouse/serve/overview.sql and troubles.sql have them.
import * as Effect from "effect/Effect"
import { NotThere } from "../pipelines/readers/NotThere.ts"
import { type PublishedCopy, sqlFile } from "../pipelines/readers/published.ts"
import type { Row } from "./html/columns.ts"

/** A row of mart.vault_latest and more; `troubles` has the worst first. */
export type Vault = Row & { readonly troubles: ReadonlyArray<Row> }

export interface Overview {
  /** Those with the worst trouble first. */
  readonly vaults: ReadonlyArray<Vault>
}

export const readOverview = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const vaults = yield* copy.rows(sqlFile("serve", "overview"))
  const troubles = yield* copy.rows(sqlFile("serve", "troubles"))
  const byVault = Map.groupBy(troubles, keyOf)
  const placed = vaults.map((vault) => ({ ...vault, troubles: byVault.get(keyOf(vault)) ?? [] }))
  return { vaults: placed.toSorted(worstFirst) } satisfies Overview
})

const keyOf = (row: Row): string => `${String(row["chain_id"])} ${String(row["vault_address"])}`

/** Above every severity. */
export const NO_TROUBLE = 9

export const worst = ({ troubles }: Vault): number =>
  Number(troubles[0]?.["severity"] ?? NO_TROUBLE)

const tvl = (vault: Vault): number => Number(vault["tvl_usd"] ?? 0)

/** By the worst trouble, then by TVL; vaults that have ended come last. */
const worstFirst = (one: Vault, other: Vault): number =>
  Number(one["is_ended"]) - Number(other["is_ended"]) ||
  worst(one) - worst(other) ||
  tvl(other) - tvl(one)

export const vaultName = (row: Row): string => String(row["vault_name"] ?? row["vault_address"])

/** The vault whose page has this address. */
export const findVault = (
  { vaults }: Overview,
  chain: string,
  address: string,
): Effect.Effect<Vault, NotThere> => {
  const found = vaults.find((vault) => keyOf(vault) === `${chain} ${address}`)
  return found === undefined
    ? Effect.fail(
        new NotThere({
          why: `There is no vault ${address} on chain ${chain}.`,
          advice: "The overview lists every vault.",
        }),
      )
    : Effect.succeed(found)
}
