// The platform one set of options describes: its vaults, and the hours its history spans.
import type { FixedOptions } from "../options.ts"
import type { AddressKind } from "../values/addresses.ts"
import { addressOf, addressKey, withLetterCase } from "../values/addresses.ts"
import { dayMs, hourMs } from "../values/calendar.ts"
import { choose, keyOf, pick, unit } from "../values/noise.ts"

/** Numeric platform chain ids (§2). The last two are invented: the document shows only 1. */
export const chains = { ethereum: 1, arbitrum: 42161, base: 8453, solana: 900, stellar: 1500 }
const evmChains = [chains.ethereum, chains.arbitrum, chains.base] as const

/** Hours from `from` up to but not including `to`. */
export interface Hole {
  readonly from: number
  readonly to: number
}

export interface Vault {
  readonly index: number
  readonly key: number
  /** As the API returns it. */
  readonly address: string
  readonly kind: AddressKind
  readonly chainId: number
  readonly status: "active" | "closed"
  readonly name: string
  readonly asset: "USDC" | "WETH"
  readonly decimals: number
  /** First hour with history; Infinity for the vault that has none. */
  readonly firstHour: number
  /** Last hour with history of a vault that was wound up; Infinity for the others. */
  readonly endHour: number
  readonly holes: readonly Hole[]
  /** USD at the start of history. */
  readonly size: number
}

export interface World {
  readonly options: FixedOptions
  readonly vaults: readonly Vault[]
  readonly byAddress: ReadonlyMap<string, Vault>
  readonly startHour: number
  readonly nowHour: number
  readonly nowMs: number
  /** The hour each revision was made, oldest first. */
  readonly revisedHours: readonly number[]
}

const kindAt = (index: number): AddressKind =>
  index % 10 === 4 ? "solana" : index % 10 === 5 ? "stellar" : "evm"

const adjectives = ["Harbor", "Granite", "Cedar", "Meridian", "Juniper", "Atlas", "Willow", "Delta"]

const vaultAt = (options: FixedOptions, startHour: number, index: number): Vault => {
  const kind = kindAt(index)
  const key = keyOf(options.seed, "vault", index)
  const asset = index % 3 === 1 ? "WETH" : "USDC"
  const { days } = options
  const offsetDays = index < 2 ? 0 : Math.floor(unit(key, 1) * 0.4 * days)
  const yesterday = startHour + (days - 1) * 24
  const firstHour =
    index === 2
      ? Infinity
      : index === 3
        ? yesterday
        : startHour + offsetDays * 24 + pick(key, 2, 24)
  // Fixed irregularities that tests rely on: see README, "The vaults".
  const short = startHour + Math.floor(days * 0.4) * 24 + 7
  const long = startHour + Math.floor(days * 0.6) * 24
  const holes =
    index !== 1
      ? []
      : [
          ...(days >= 10 ? [{ from: short, to: short + 53 }] : []),
          ...(days >= 180 ? [{ from: long, to: long + 45 * 24 }] : []),
        ]
  const isWoundUp = index % 10 === 6
  const isClosed = isWoundUp || index % 10 === 9 || options.closedVaults.includes(index)
  return {
    index,
    key,
    address: withLetterCase(addressOf(kind, options.seed, "vault", index), options.addressCase),
    kind,
    chainId: kind === "evm" ? (index === 0 ? 1 : choose(key, 3, evmChains)) : chains[kind],
    status: isClosed ? "closed" : "active",
    name: `${adjectives[index % adjectives.length]} ${asset} ${index + 1}`,
    asset,
    decimals: asset === "USDC" ? 6 : 18,
    firstHour: index < 2 ? startHour : firstHour,
    endHour: isWoundUp ? startHour + Math.floor(days * 0.85) * 24 + 12 : Infinity,
    holes,
    size: Math.round(10 ** (5.5 + 2.5 * unit(key, 4))),
  }
}

export const makeWorld = (options: FixedOptions): World => {
  const startHour = Math.floor(Date.parse(options.start) / hourMs)
  const nowMs = Date.parse(options.now)
  const vaults = Array.from({ length: options.vaults }, (_, i) => vaultAt(options, startHour, i))
  return {
    options,
    vaults,
    byAddress: new Map(vaults.map((vault) => [addressKey(vault.address), vault])),
    startHour,
    nowHour: Math.floor(nowMs / hourMs),
    nowMs,
    revisedHours: options.revisedAt.map((at) => Math.floor(Date.parse(at) / hourMs)),
  }
}

/** The last hour a vault may have history at. */
export const lastHour = (world: World, vault: Vault): number =>
  Math.min(world.nowHour, vault.endHour)

export const today = (world: World): number => Math.floor(world.nowMs / dayMs)
