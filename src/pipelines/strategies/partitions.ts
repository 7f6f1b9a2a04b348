// The partitions of pipelines, found in what earlier pipelines of the run and earlier runs have stored.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { canonicalAddress, parseAddress, sendable } from "../../domain/values/address.ts"
import type { SubaccountRef } from "../../domain/subject/subaccount.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import { boolean, decodeRow, json, optional, text } from "../../load/duckdb/decodeRow.ts"
import type { LoadError } from "../../load/errors.ts"
import type { Lookup, Partition } from "../model/Pipeline.ts"

export type Partitions<S> = Effect.Effect<ReadonlyArray<Partition<S>>, LoadError>

/** For endpoints that cover everything in one request. */
export const once = (): Partitions<null> => Effect.succeed([{ entity: "-", subject: null }])

/** One for each vault; an address on two chains is read once unless the endpoint takes the chain. */
const vaultPartitions =
  ({ perChain, evmOnly }: { readonly perChain: boolean; readonly evmOnly: boolean }) =>
  ({ vaults: read, storedVaults }: Lookup): Partitions<VaultRef> =>
    Effect.map(Effect.all([read, storedVaults]), ([all, stored]) => {
      const included = all.filter(({ kind }) => !evmOnly || kind === "evm")
      const selected = perChain ? included : onePerAddress(included)
      const byAddress = Map.groupBy(stored, ({ address }) => address)
      return selected.map((subject) => ({
        entity: perChain ? entityOf(subject, byAddress.get(subject.address)) : subject.address,
        subject,
        vault: { address: subject.address, ...(perChain ? { chainId: subject.chainId } : {}) },
        ...unsupportedAddress("vault", subject.wireAddress, "core.vaults"),
      }))
    })

/** Every vault, by its address alone. */
export const vaults = vaultPartitions({ perChain: false, evmOnly: false })

/** Every vault, for endpoints that take chain and address. */
export const vaultsByChain = vaultPartitions({ perChain: true, evmOnly: false })

/** EVM vaults by their address alone. */
export const evmVaults = vaultPartitions({ perChain: false, evmOnly: true })

/** EVM vaults, for endpoints that take chain and address. */
export const evmVaultsByChain = vaultPartitions({ perChain: true, evmOnly: true })

/** The first of each address, in the order of `partitions/vaults.sql`: as in mart.vault_addresses. */
const onePerAddress = (all: ReadonlyArray<VaultRef>): ReadonlyArray<VaultRef> =>
  [...Map.groupBy(all, ({ address }) => address).values()].flatMap(([first]) => first ?? [])

/**
 * The address, with its chain if it has ever been a vault on several. Whichever of them this run reads, none goes on from the
 * cursor of another.
 */
const entityOf = (
  { address, chainId }: VaultRef,
  ofAddress: ReadonlyArray<VaultRef> = [],
): string =>
  ofAddress.some((other) => other.chainId !== chainId) ? `${address}@${chainId}` : address

/** Pipelines from whose rows subaccounts are found. */
export const subaccountSources = ["subaccounts", "my_subaccounts", "vault_subaccounts"] as const

/** Why an address can't be sent: the service also lists addresses that §7, rule 1 does not allow in a request. */
export const unsupportedAddress = (
  what: string,
  wireAddress: string,
  table: string,
): Pick<Partition<unknown>, "unsupported"> => {
  const read = parseAddress(wireAddress)
  return Result.isSuccess(read)
    ? {}
    : {
        unsupported: `${what} \`${wireAddress}\` in ${table} can't be requested: it ${read.failure}`,
      }
}

const listedSubaccount = decodeRow({
  address: text("subaccount_address"),
  wireAddress: text("wire_address"),
  listedIn: text("listed_in"),
  vaults: optional(json)("vaults"),
  isListed: boolean("is_listed"),
})

/** Every subaccount that the key shows, or those of the selected vaults if the user selected some. */
export const subaccounts = Effect.fnUntraced(function* (lookup: Lookup) {
  const { isSelection } = lookup
  const found = (yield* lookup.subaccounts).map(listedSubaccount)
  const selected = new Set(isSelection ? (yield* lookup.vaults).map(({ address }) => address) : [])
  const isSelected = (linked: unknown): boolean =>
    ((linked ?? []) as ReadonlyArray<string>).some((vault) => selected.has(vault))
  return found
    .filter((each) => (isSelection ? isSelected(each.vaults) : each.isListed))
    .map(({ address, listedIn, ...each }): Partition<SubaccountRef> => {
      const wireAddress = sendable(each.wireAddress)
      return {
        entity: address,
        subject: { address, wireAddress },
        ...unsupportedAddress("subaccount", wireAddress, listedIn),
      }
    })
})

/** The same for endpoints that take EVM addresses only (§2): for others nothing is sent. */
export const evmSubaccounts = (lookup: Lookup): Partitions<SubaccountRef> =>
  Effect.map(subaccounts(lookup), (all) =>
    all.map((partition) =>
      partition.unsupported !== undefined ||
      canonicalAddress(partition.subject.address)?.kind === "evm"
        ? partition
        : {
            ...partition,
            unsupported: `subaccount \`${partition.subject.wireAddress}\` is not an EVM address, the only kind this endpoint takes (§2)`,
          },
    ),
  )
