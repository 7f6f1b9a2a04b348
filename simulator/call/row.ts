// A row of §4: how it is called, who may call it, which fields its response must have, and the response.
import type { Vault, World } from "../generate/world.ts"
import { kindOf, addressKey } from "../values/addresses.ts"
import type { Role, Tier } from "../options.ts"
import { invalid, notFound } from "./errors.ts"
import type { Query } from "./query.ts"

export interface Call {
  readonly world: World
  readonly query: Query
  readonly param: (name: string) => string
  readonly body: unknown
  /** Undefined on a public row called without a known key. */
  readonly role: Role | undefined
  /** The API's own clock in milliseconds: `now` plus the time passed since it was set. */
  readonly clock: number
}

export interface Row {
  readonly method: "GET" | "POST"
  /** Path with {placeholders}; `/platform/` stands for the configured segment. */
  readonly path: string
  readonly tier: Tier
  /** Fields §2 documents, as `name`, `list[].name` or `[].name`. A `contract-break` fault breaks one of them. */
  readonly documented: readonly string[]
  /** Server cache of §8, in seconds. */
  readonly cacheSeconds?: number
  /** The document calls the read slow. With a server cache only the first call is. */
  readonly slow?: boolean
  readonly answer: (call: Call) => unknown
}

/** A vault by an address of any kind: 422 malformed, 404 unknown (§7). */
export const vaultBy = (call: Call, address: string, where = "path"): Vault => {
  if (kindOf(address) === undefined) throw invalid(where, "vault", "Invalid vault address")
  const vault = call.world.byAddress.get(addressKey(address))
  if (vault === undefined) throw notFound(`Vault ${address} not found`)
  return vault
}

/** The EVM vault of a chain-scoped transparency path: 422 for another kind (§4.1, §7). */
export const chainScopedVault = (call: Call): Vault => {
  const address = call.param("vault_address")
  const chainId = call.query.requiredInteger("chainId")
  if (kindOf(address) !== "evm") {
    throw invalid("path", "vault_address", "Only EVM vaults are supported")
  }
  const vault = vaultBy(call, address)
  if (vault.chainId !== chainId) throw notFound(`Vault ${address} not found on chain ${chainId}`)
  return vault
}
