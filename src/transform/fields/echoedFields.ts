// Finds the fields of a response that repeat the vault of the request, which `extra` omits.
import { canonicalAddress } from "../../domain/values/address.ts"
import type { JsonObject } from "../../domain/values/json.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"

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
