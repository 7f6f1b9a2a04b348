// What a complete export of the simulated platform must contain, computed from the options alone.
import type { AddressKind } from "./values/addresses.ts"
import { allocationDays, allocationsOn } from "./generate/allocations.ts"
import { auditEntries, auditSeen } from "./generate/audit-log.ts"
import { apySeries } from "./generate/apy.ts"
import { hourMs, iso } from "./values/calendar.ts"
import { eachPnl } from "./generate/pnl.ts"
import { eachRatio } from "./generate/ratio.ts"
import type { Vault, World } from "./generate/world.ts"
import { makeWorld } from "./generate/world.ts"
import type { FixedOptions } from "./options.ts"

export interface RatioTruth {
  readonly n: number
  readonly actualTvl: number
  readonly tvlOnVault: number
  readonly adjustedRedeemRatio: number
  /** ISO instants of the oldest and newest point. */
  readonly oldest: string | null
  readonly newest: string | null
}

export interface PnlTruth {
  readonly n: number
  readonly unrealizedPnl: number
  readonly unrealizedPnlInAsset: number
}

export interface SeriesTruth {
  readonly n: number
  readonly sum: number
}

export interface VaultTruth {
  readonly index: number
  readonly address: string
  readonly chainId: number
  readonly kind: AddressKind
  readonly status: "active" | "closed"
  readonly ratio: RatioTruth
  /** `total` is every snapshot; `reachable` the newest 1,000, the most the API returns. */
  readonly pnl: { readonly total: number; readonly reachable: PnlTruth }
  /** Full history; smoothed over the default 7 days. */
  readonly apy: { readonly raw: SeriesTruth; readonly smoothed: SeriesTruth }
  /** Vault × day × protocol; none for vaults the chain-scoped endpoint refuses (§4.1). */
  readonly allocations: SeriesTruth
  /** All entries, and how many a client receives by paging with the verbatim cursor, which skips ties (§4.1). */
  readonly auditEntries: {
    readonly n: number
    readonly inPagesOf50: number
    readonly inPagesOf200: number
  }
}

export interface Truth {
  readonly vaults: readonly VaultTruth[]
  readonly totals: {
    readonly vaults: number
    readonly ratio: number
    readonly pnlReachable: number
    readonly apy: number
    readonly allocations: number
    readonly auditEntries: number
  }
  /** Size of the subaccount directory. */
  readonly subaccounts: number
}

const ratioTruth = (world: World, vault: Vault): RatioTruth => {
  let [n, actual, onVault, adjusted, oldest, newest] = [0, 0, 0, 0, 0, 0]
  eachRatio(world, vault, -Infinity, Infinity, (point) => {
    if (n === 0) newest = point.hour
    oldest = point.hour
    n += 1
    actual += point.actual
    onVault += point.onVault
    adjusted += point.adjusted
  })
  const at = (hour: number): string | null => (n === 0 ? null : iso(hour * hourMs))
  return {
    n,
    actualTvl: actual,
    tvlOnVault: onVault,
    adjustedRedeemRatio: adjusted,
    oldest: at(oldest),
    newest: at(newest),
  }
}

const pnlTruth = (world: World, vault: Vault): VaultTruth["pnl"] => {
  let [total, n, usd, asset] = [0, 0, 0, 0]
  eachPnl(world, vault, (snapshot) => {
    total += 1
    if (total > 1000) return
    n += 1
    usd += snapshot.usd
    asset += snapshot.asset
  })
  return { total, reachable: { n, unrealizedPnl: usd, unrealizedPnlInAsset: asset } }
}

const apyTruth = (world: World, vault: Vault, smoothing: boolean): SeriesTruth => {
  const { values } = apySeries(world, vault, { smoothing, averagingDays: 7, daysAgo: -1 })
  return { n: values.length, sum: values.reduce((sum, value) => sum + value, 0) }
}

const allocationsTruth = (world: World, vault: Vault): SeriesTruth => {
  let [n, sum] = [0, 0]
  if (vault.kind !== "evm") return { n, sum }
  const { first, last } = allocationDays(world, vault)
  for (let day = first; day <= last; day += 1) {
    for (const row of allocationsOn(world, vault, day)) {
      n += 1
      sum += row.usd
    }
  }
  return { n, sum }
}

const auditTruth = (world: World, vault: Vault): VaultTruth["auditEntries"] => {
  const all = vault.kind === "evm" ? auditEntries(world, vault) : []
  return { n: all.length, inPagesOf50: auditSeen(all, 50), inPagesOf200: auditSeen(all, 200) }
}

const vaultTruth = (world: World, vault: Vault): VaultTruth => ({
  index: vault.index,
  address: vault.address,
  chainId: vault.chainId,
  kind: vault.kind,
  status: vault.status,
  ratio: ratioTruth(world, vault),
  pnl: pnlTruth(world, vault),
  apy: { raw: apyTruth(world, vault, false), smoothed: apyTruth(world, vault, true) },
  allocations: allocationsTruth(world, vault),
  auditEntries: auditTruth(world, vault),
})

/** Reads all of history: about five seconds for 200 vaults of three years. */
export const truthOf = (options: FixedOptions): Truth => {
  const world = makeWorld(options)
  const vaults = world.vaults.map((vault) => vaultTruth(world, vault))
  const total = (count: (vault: VaultTruth) => number): number =>
    vaults.reduce((sum, vault) => sum + count(vault), 0)
  return {
    vaults,
    totals: {
      vaults: vaults.length,
      ratio: total((vault) => vault.ratio.n),
      pnlReachable: total((vault) => vault.pnl.reachable.n),
      apy: total((vault) => vault.apy.raw.n),
      allocations: total((vault) => vault.allocations.n),
      auditEntries: total((vault) => vault.auditEntries.n),
    },
    subaccounts: options.subaccounts,
  }
}
