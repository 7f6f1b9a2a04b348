// Rows of §4.2: the vault directory, a vault's detail, summary and APY, and its withdrawals. The
// document shows almost none of their field names (§2.10); these are invented.
import { addressOf, withLetterCase } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { allocationsOn } from "../generate/allocations.ts"
import { apySeries } from "../generate/apy.ts"
import { dayOfHour, hourMs, iso } from "../values/calendar.ts"
import { pick, rounded, unit } from "../values/noise.ts"
import { assetPrice } from "../generate/pnl.ts"
import { ratioAt } from "../generate/ratio.ts"
import type { Vault, World } from "../generate/world.ts"
import { chains, lastHour } from "../generate/world.ts"
import { ApiError, invalid, notFound } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { vaultBy } from "../call/row.ts"

const evmAddress = (world: World, ...parts: ReadonlyArray<string | number>): string =>
  withLetterCase(addressOf("evm", world.options.seed, ...parts), world.options.addressCase)

const feesOf = (vault: Vault) => ({
  managementFeePct: pick(vault.key, 80, 5) * 0.5,
  performanceFeePct: 10 + pick(vault.key, 81, 3) * 5,
})

const vaultRecord = (world: World, vault: Vault): Record<string, unknown> => {
  const names = world.options.vaultNames
  return {
    [names.address]: vault.address,
    [names.chain]: vault.chainId,
    name: vault.name,
    description: `${vault.asset} deposited across lending and liquidity markets`,
    type: vault.asset === "USDC" ? "stable" : "eth",
    logo: `https://assets.example/vaults/${vault.index}.svg`,
    feeStructure: feesOf(vault),
    subaccounts: Array.from({ length: 1 + pick(vault.key, 60, 4) }, (_, index) =>
      evmAddress(world, "vault", vault.index, "sub", index),
    ),
    strategists: [evmAddress(world, "strategist", vault.index % 3)],
    status: vault.status,
    visibility: { listed: true, featured: vault.index === 0 },
  }
}

const inHistory = (world: World, vault: Vault): boolean => vault.firstHour <= lastHour(world, vault)

/** Growth of the backing over some days, in percent; null when history is shorter. */
const returnPct = (world: World, vault: Vault, days: number): number | null => {
  const hour = lastHour(world, vault)
  const before = hour - days * 24
  if (before < vault.firstHour || !inHistory(world, vault)) return null
  return rounded(
    (ratioAt(world, vault, hour).actual / ratioAt(world, vault, before).actual - 1) * 100,
    4,
  )
}

const performance = (world: World, vault: Vault) => ({
  return1DayPct: returnPct(world, vault, 1),
  return7DayPct: returnPct(world, vault, 7),
  return30DayPct: returnPct(world, vault, 30),
})

const detail = (call: Call): unknown => {
  const { world } = call
  const vault = vaultBy(call, call.param("vault_address"))
  return {
    ...vaultRecord(world, vault),
    performance: performance(world, vault),
    receiptTokenIntegrations: [
      { protocol: "Pendle", market: evmAddress(world, "market", vault.index) },
    ],
    rewardPrograms: vault.index % 2 === 0 ? [{ name: "Season 1", multiplier: 1.5 }] : [],
  }
}

const summary = (call: Call): unknown => {
  const { world } = call
  const vault = vaultBy(call, call.param("vault_address"))
  const hour = lastHour(world, vault)
  const latest = inHistory(world, vault) ? ratioAt(world, vault, hour) : null
  return {
    [world.options.vaultNames.address]: vault.address,
    name: vault.name,
    type: vault.asset === "USDC" ? "stable" : "eth",
    chain: vault.chainId,
    latestSnapshot:
      latest === null
        ? null
        : { snapshotAt: iso(hour * hourMs), tvlUsd: latest.actual, reportedTvlUsd: latest.onVault },
    ...performance(world, vault),
    allocation:
      latest === null
        ? []
        : allocationsOn(world, vault, dayOfHour(hour)).map(({ protocol, usd, pct }) => ({
            protocol,
            valueUsd: usd,
            allocationPct: pct,
          })),
  }
}

/** "A fixed set of four vault tokens" (§4.2): the first four EVM vaults that have history. */
const apyVaults = (world: World): readonly Vault[] =>
  world.vaults.filter((vault) => vault.kind === "evm" && vault.firstHour !== Infinity).slice(0, 4)

// §9.2: the deprecated names are removed on this day.
const deprecatedUntil = Date.parse("2026-01-01T00:00:00Z")

const annualizedApy = (call: Call): unknown => {
  const { world } = call
  const vault = vaultBy(call, call.param("vault_address"))
  if (!apyVaults(world).includes(vault)) {
    throw new ApiError(400, `Annualized APY is not supported for vault ${vault.address}`)
  }
  const over = (daysAgo: number): number => {
    const { values } = apySeries(world, vault, { smoothing: false, averagingDays: 2, daysAgo })
    return rounded(values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1), 6)
  }
  const month = over(30)
  const week = over(7)
  const prefix = `v${vault.asset.toLowerCase()}`
  return {
    liquidAPY30Day: month,
    liquidAPY7Day: week,
    ...(world.nowMs < deprecatedUntil
      ? { [`${prefix}30dLiquidAPY`]: month, [`${prefix}7dLiquidAPY`]: week }
      : {}),
  }
}

/** "Chain identifier" (§4.2): the numeric id, or a name. */
const chainBy = (text: string): number => {
  const named = Object.entries(chains).find(([name]) => name === text)?.[1]
  const id = named ?? Number(text)
  if (!Number.isInteger(id)) throw invalid("path", "chain", "Unknown chain identifier")
  return id
}

const withdrawals = (call: Call): unknown => {
  const { world } = call
  const chain = chainBy(call.param("chain"))
  const vault = vaultBy(call, call.param("vault_address"))
  if (vault.chainId !== chain) throw notFound(`Vault ${vault.address} not found on chain ${chain}`)
  const hour = lastHour(world, vault)
  const assets = inHistory(world, vault)
    ? ratioAt(world, vault, hour).onVault / assetPrice(vault, hour)
    : 0
  const raw = (amount: number) => rawAmount(amount, vault.decimals, world.options.bigIntegers)
  const requests = Array.from({ length: assets === 0 ? 0 : pick(vault.key, 90, 5) }, (_, index) => {
    const share = 0.02 * unit(vault.key + 91, index)
    return {
      requestedAt: iso((hour - 5 - pick(vault.key + 92, index, 90)) * hourMs),
      amountRaw: raw(assets * share),
      amount: rounded(assets * share, 8),
      vaultPct: rounded(share * 100, 6),
      recipient: evmAddress(world, "recipient", vault.index, index),
    }
  })
  const pending = requests.reduce((sum, request) => sum + request.amount, 0)
  return {
    totalWithdrawalsRaw: raw(pending),
    totalWithdrawals: rounded(pending, 8),
    totalAssetsRaw: raw(assets),
    totalAssets: rounded(assets, 8),
    pendingRequests: requests,
  }
}

const list = ({ query, world }: Call): unknown => {
  const status = query.oneOf("status", ["active", "closed"] as const)
  return world.vaults
    .filter((vault) => status === undefined || vault.status === status)
    .map((vault) => vaultRecord(world, vault))
}

const get = (path: string, documented: readonly string[], answer: Row["answer"]): Row => ({
  method: "GET",
  path,
  tier: "public",
  documented,
  answer,
})

export const tokenizedVaultRows: readonly Row[] = [
  get("/tokenized_vault", ["[].status", "[].name"], list),
  get("/tokenized_vault/{vault_address}", ["status", "name"], detail),
  get("/tokenized_vault/vault_summary/{vault_address}", ["name", "type"], summary),
  get(
    "/tokenized_vault/annualized_apy/{vault_address}",
    ["liquidAPY30Day", "liquidAPY7Day"],
    annualizedApy,
  ),
  get("/withdrawals/{chain}/{vault_address}", ["pendingRequests"], withdrawals),
]
