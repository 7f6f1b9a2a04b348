// Finds the fields of a response that repeat the vault of the request, which `extra` omits, or name the one on another chain.
import { canonicalAddress } from "../../domain/values/address.ts"
import type { JsonObject } from "../../domain/values/json.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import type { Source } from "../Source.ts"
import { chain } from "./readers.ts"

const addressFields = ["address", "vault_address", "vaultAddress", "vault"]
const chainFields = ["chain", "chain_id", "chainId"]

/** The names of the fields with the vault's address or chain id. */
export const echoedFields = (record: JsonObject, vault: VaultRef): ReadonlyArray<string> => [
  ...addressFields.filter((name) => {
    const value = record[name]
    return typeof value === "string" && canonicalAddress(value)?.canonical === vault.address
  }),
  ...chainFields.filter((name) => {
    const value = record[name]
    return value === vault.chainId || value === String(vault.chainId)
  }),
]

/**
 * The source with the chain that the record names. Where a request has only the address, the service chooses which of the
 * vaults of that address it describes.
 */
export const onNamedChain = (record: JsonObject, source: Source<VaultRef>): Source<VaultRef> => {
  const [chainId] = chainFields.flatMap((name) => chain(record[name], name)?.value ?? [])
  return typeof chainId === "number" && chainId > 0
    ? { ...source, subject: { ...source.subject, chainId } }
    : source
}
