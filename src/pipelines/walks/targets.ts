// Whom pipelines ask about, found in what earlier pipelines of the run and earlier runs have stored.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { canonicalAddress, parseAddress, sendable } from "../../domain/address.ts"
import type { SubaccountRef } from "../../domain/subaccount.ts"
import type { VaultRef } from "../../domain/vault.ts"
import type { Lookup, Pipeline, Target } from "../Pipeline.ts"

/** For endpoints that are asked once. */
export const once: Pipeline<null>["targets"] = () =>
  Effect.succeed([{ entity: "-", subject: null }])

/** One for each vault; an address on two chains is asked about once unless the endpoint takes the chain. */
const vaultTargets =
  ({ perChain, evmOnly }: { readonly perChain: boolean; readonly evmOnly: boolean }) =>
  ({ vaults }: Lookup): Effect.Effect<ReadonlyArray<Target<VaultRef>>> => {
    const included = vaults.filter(({ kind }) => !evmOnly || kind === "evm")
    const asked = perChain ? included : onePerAddress(included)
    return Effect.succeed(
      asked.map((subject) => ({
        entity: entityOf(subject, asked),
        subject,
        vault: { address: subject.address, ...(perChain ? { chainId: subject.chainId } : {}) },
      })),
    )
  }

/** Every vault, by its address alone. */
export const vaults = vaultTargets({ perChain: false, evmOnly: false })

/** Every vault, where the endpoint takes chain and address. */
export const vaultsByChain = vaultTargets({ perChain: true, evmOnly: false })

/** EVM vaults by their address alone. */
export const evmVaults = vaultTargets({ perChain: false, evmOnly: true })

/** EVM vaults, where the endpoint takes chain and address. */
export const evmVaultsByChain = vaultTargets({ perChain: true, evmOnly: true })

/** The same one in every run, and in mart.vault_addresses: that on the lowest chain id. */
const onePerAddress = (all: ReadonlyArray<VaultRef>): ReadonlyArray<VaultRef> => [
  ...new Map(
    all.toSorted((a, b) => b.chainId - a.chainId).map((vault) => [vault.address, vault]),
  ).values(),
]

/** The address; with its chain where one address is a vault on several. */
const entityOf = ({ address, chainId }: VaultRef, all: ReadonlyArray<VaultRef>): string =>
  all.some((other) => other.address === address && other.chainId !== chainId)
    ? `${address}@${chainId}`
    : address

/** Pipelines that tell of subaccounts. */
export const subaccountSources = ["subaccounts", "my_subaccounts", "vault_subaccounts"] as const

/** Why a served address can't be sent back; what is no address of §7, rule 1, stands in its table all the same. */
export const unaskable = (
  what: string,
  served: string,
  table: string,
): Pick<Target<unknown>, "unaskable"> => {
  const read = parseAddress(served)
  return Result.isSuccess(read)
    ? {}
    : { unaskable: `${what} \`${served}\` in ${table} can't be asked about: it ${read.failure}` }
}

/** Every subaccount the key lets us know of; of the vaults asked for, where that is a selection. */
export const subaccounts = ({
  rows,
  vaults: asked,
  isSelection,
}: Lookup): ReturnType<Pipeline<SubaccountRef>["targets"]> => {
  const listed = `
    select subaccount_address, subaccount_address_as_served, null as vault_address,
      'core.subaccounts' as listed_in
    from core.subaccounts where is_current
    union all select subaccount_address, subaccount_address_as_served, null, 'core.my_subaccounts'
    from core.my_subaccounts where is_current
    union all select subaccount_address, subaccount_address_as_served, vault_address,
      'core.vault_subaccounts'
    from core.vault_subaccounts where is_current`
  const wanted = new Set(asked.map(({ address }) => address))
  return Effect.map(
    rows(`select subaccount_address, any_value(subaccount_address_as_served) as served,
            min(listed_in) as listed_in,
            to_json(array_agg(vault_address))::varchar as vaults
          from (${listed}) group by subaccount_address order by subaccount_address`),
    (found) =>
      found
        .filter(
          (row) =>
            !isSelection ||
            (JSON.parse(String(row["vaults"])) as ReadonlyArray<string | null>).some(
              (vault) => vault !== null && wanted.has(vault),
            ),
        )
        .map((row) => {
          const address = String(row["subaccount_address"])
          const served = sendable(String(row["served"]))
          return {
            entity: address,
            subject: { address, served },
            ...unaskable("subaccount", served, String(row["listed_in"])),
          }
        }),
  )
}

/** Subaccounts the endpoints of §4.3 can be asked about: smart-contract wallets with an EVM address (§2). */
export const evmSubaccounts = (lookup: Lookup): ReturnType<Pipeline<SubaccountRef>["targets"]> =>
  Effect.map(subaccounts(lookup), (all) =>
    all.filter(({ subject }) => canonicalAddress(subject.address)?.kind === "evm"),
  )
