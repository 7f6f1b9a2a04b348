// Reads every vault with its figures and troubles, from warehouse/serve/overview.sql and troubles.sql.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { UsageError } from "../domain/UsageError.ts"
import { canonicalSpelling } from "../domain/values/address.ts"
import { type PublishedCopy, sqlFile } from "../pipelines/readers/published.ts"
import type { Row } from "./html/columns.ts"
import { dayOf, type Days } from "./periods/period.ts"

/** A row of overview.sql; the worst of its `troubles` is first. */
export type Vault = Row & { readonly troubles: ReadonlyArray<Row> }

export interface Overview {
  /** Sorted by their worst trouble, the most severe first. */
  readonly vaults: ReadonlyArray<Vault>
  /** From the first day of any history to the day of the publication. */
  readonly whole: Days
}

export const readOverview = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const vaults = yield* copy.rows(sqlFile("serve", "overview"))
  const troubles = yield* copy.rows(sqlFile("serve", "troubles"))
  const byVault = Map.groupBy(troubles, keyOf)
  const joined = vaults.map((vault) => ({ ...vault, troubles: byVault.get(keyOf(vault)) ?? [] }))
  const [span] = yield* copy.rows(sqlFile("serve", "span"))
  const to = span?.["last_on"] ?? dayOf(yield* Clock.currentTimeMillis)
  return {
    vaults: joined.toSorted(worstFirst),
    whole: { from: String(span?.["first_on"] ?? to), to: String(to) },
  } satisfies Overview
})

/** Chain and address of a vault. */
export const keyOf = (row: Row): string =>
  `${String(row["chain_id"])} ${String(row["vault_address"])}`

/** The severity of a vault without troubles, above all others. */
export const NO_TROUBLE = 9

const worstSeverity = ({ troubles }: Vault): number =>
  Number(troubles[0]?.["severity"] ?? NO_TROUBLE)

const tvl = (vault: Vault): number => Number(vault["tvl_usd"] ?? 0)

/** By the worst trouble, then by TVL; vaults that have ended come last. */
const worstFirst = (one: Vault, other: Vault): number =>
  Number(one["is_ended"]) - Number(other["is_ended"]) ||
  worstSeverity(one) - worstSeverity(other) ||
  tvl(other) - tvl(one)

/** A blank name could neither be read nor clicked. */
export const vaultName = (row: Row): string => {
  const name = String(row["vault_name"] ?? "")
  return name.trim() === "" ? String(row["vault_address"]) : name
}

/** The vault with this chain and address; explorers of a chain write an EVM address in upper and lower case. */
export const findVault = (
  { vaults }: Overview,
  chain: string,
  address: string,
): Effect.Effect<Vault, UsageError> => {
  const key = `${chain} ${canonicalSpelling(address)}`
  const found = vaults.find((vault) => keyOf(vault) === key)
  return found === undefined
    ? Effect.fail(
        new UsageError({
          why: `There is no vault ${address} on chain ${chain}.`,
          advice: "The overview lists every vault.",
        }),
      )
    : Effect.succeed(found)
}
