// The subaccount directory (§2.1), and who may see which entry.
import type { Role } from "../options.ts"
import { addressOf, addressKey, withLetterCase } from "../values/addresses.ts"
import { keyOf, rounded, smooth, unit } from "../values/noise.ts"
import type { Vault, World } from "./world.ts"
import { chains } from "./world.ts"

export interface Subaccount {
  readonly index: number
  readonly key: number
  readonly address: string
  /** The vault it works for; undefined on a platform without vaults. */
  readonly vault: Vault | undefined
  readonly status: "active" | "inactive"
  readonly type: "eoa" | "subaccount"
  readonly name: string
}

const subaccountAt = (world: World, index: number): Subaccount => {
  const { vaults, options } = world
  const vault = vaults[index % Math.max(vaults.length, 1)]
  // The same addresses as in the vault's positions: one wallet, seen by two endpoints.
  const ordinal = Math.floor(index / Math.max(vaults.length, 1))
  const address = addressOf("evm", options.seed, "vault", vault?.index ?? -1, "sub", ordinal)
  return {
    index,
    key: keyOf(options.seed, "subaccount", index),
    address: withLetterCase(address, options.addressCase),
    vault,
    status: index % 9 === 8 ? "inactive" : "active",
    type: index % 12 === 11 ? "eoa" : "subaccount",
    name: `sub-${String(index + 1).padStart(4, "0")}`,
  }
}

const directories = new WeakMap<World, ReadonlyMap<string, Subaccount>>()

/** The whole directory by address, in directory order. Made on first use, kept with its world. */
export const directoryOf = (world: World): ReadonlyMap<string, Subaccount> => {
  let directory = directories.get(world)
  if (directory === undefined) {
    const all = Array.from({ length: world.options.subaccounts }, (_, i) => subaccountAt(world, i))
    directory = new Map(all.map((subaccount) => [addressKey(subaccount.address), subaccount]))
    directories.set(world, directory)
  }
  return directory
}

/** A curator curates every second vault. */
export const curates = (role: Role | undefined, vault: Vault): boolean =>
  role === "admin" || (role === "curator" && vault.index % 2 === 0)

/** A user owns every fourth subaccount, a curator those of the vaults curated, an admin all. */
export const mayRead = (role: Role | undefined, { index, vault }: Subaccount): boolean =>
  role === "admin" ||
  (role === "user" && index % 4 === 0) ||
  (role === "curator" && vault !== undefined && curates(role, vault))

/** The list item; §2.1 names its contents, not its fields. */
export const listItem = (subaccount: Subaccount): Record<string, unknown> => ({
  address: subaccount.address,
  internalName: subaccount.name,
  friendlyName: `Subaccount ${subaccount.index + 1}`,
  status: subaccount.status,
  type: subaccount.type,
  chains: [chains.ethereum, ...(subaccount.index % 2 === 0 ? [chains.arbitrum] : [])],
  vaultAddress: subaccount.vault?.address ?? null,
  riskMetadata: { tier: 1 + (subaccount.index % 3), maxLeverage: 2 + (subaccount.index % 4) },
})

/** USD value of everything a subaccount holds, at an instant. */
export const holdingsOf = ({ key }: Subaccount, ms: number): number =>
  rounded(10 ** (4 + 3 * unit(key, 1)) * (1 + 0.1 * smooth(key + 2, ms / 86_400_000)), 2)
