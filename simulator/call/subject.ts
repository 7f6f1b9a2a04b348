// The subaccount or curated vault of a call; throws if the caller may not read it (§5).
import { kindOf, addressKey } from "../values/addresses.ts"
import type { Subaccount } from "../generate/subaccounts.ts"
import { curates, directoryOf, mayRead } from "../generate/subaccounts.ts"
import type { Vault } from "../generate/world.ts"
import { ApiError, invalid, notFound } from "./errors.ts"
import type { Call } from "./row.ts"
import { vaultBy } from "./row.ts"

/**
 * 422 if it is not an EVM address. A caller who is not an admin gets 403 both for one that does not exist and for one
 * that belongs to another.
 */
export const subaccountBy = (call: Call, address: string, where = "query"): Subaccount => {
  if (kindOf(address) !== "evm") throw invalid(where, "address", "Invalid EVM address")
  const subaccount = directoryOf(call.world).get(addressKey(address))
  if (subaccount !== undefined && mayRead(call.role, subaccount)) return subaccount
  if (call.role === "admin") throw notFound(`Subaccount ${address} not found`)
  throw new ApiError(403, "API key is not authorized for this subaccount")
}

export const curatedVault = (call: Call): Vault => {
  const vault = vaultBy(call, call.param("vault_address"))
  if (!curates(call.role, vault)) throw new ApiError(403, "API key is not a curator of this vault")
  return vault
}
