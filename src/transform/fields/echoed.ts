// Fields of an answer that only repeat whom it was asked about, and so need not go to `extra`.
import { canonicalAddress } from "../../domain/address.ts"
import type { JsonObject } from "../../domain/json.ts"
import type { VaultRef } from "../../domain/vault.ts"

const addressFields = ["address", "vault_address", "vaultAddress", "vault"]
const chainFields = ["chain", "chain_id", "chainId"]

/** Names of the fields that hold the vault's own address or chain id. */
export const echoed = (record: JsonObject, vault: VaultRef): ReadonlyArray<string> => [
  ...addressFields.filter((name) => {
    const value = record[name]
    return typeof value === "string" && canonicalAddress(value)?.canonical === vault.address
  }),
  ...chainFields.filter((name) => {
    const value = record[name]
    return value === vault.chainId || value === String(vault.chainId)
  }),
]
