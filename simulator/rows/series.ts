// Rows of §4.1 that publish a vault's history: PnL, ratio, APY, allocations, and the positions.
import { isoDay, usDay } from "../values/calendar.ts"
import { allocationDays, allocationsOn } from "../generate/allocations.ts"
import { apySeries } from "../generate/apy.ts"
import { pnlRecords } from "../generate/pnl.ts"
import { positionsRecord } from "../generate/positions.ts"
import { ratioRecords } from "../generate/ratio.ts"
import { notFound } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { chainScopedVault, vaultBy } from "../call/row.ts"

const maxSnapshots = 1000

/** One path with two kinds of response: `fields=ratio` is the only difference (§4.1). */
const unrealizedPnl = (call: Call): unknown => {
  const { query, world } = call
  const address = query.required("vault")
  if (query.text("fields") !== "ratio") {
    const limit = query.integer("limit", { min: 1, max: maxSnapshots }) ?? maxSnapshots
    return pnlRecords(world, vaultBy(call, address, "query"), limit)
  }
  const limit = query.integer("limit", { min: 1 }) ?? Infinity
  const startDay = query.day("startDate") ?? -Infinity
  const endDay = query.day("endDate") ?? Infinity
  const vault = vaultBy(call, address, "query")
  // Truncates silently to the newest points of the window.
  const count = Math.min(limit, world.options.ratioCap)
  return ratioRecords(world, vault, startDay * 24, endDay * 24 + 23, count)
}

const apyChart = (call: Call): unknown => {
  const { query, world } = call
  const address = query.required("vault")
  const smoothing = query.flag("applySmoothing", true)
  const averagingDays = query.number("averagingPeriodDays", { min: 2 }) ?? 7
  const daysAgo = query.number("daysAgo", { min: -1 }) ?? 30
  const vault = vaultBy(call, address, "query")
  const { days, values } = apySeries(world, vault, { smoothing, averagingDays, daysAgo })
  const series = { labels: days.map(usDay), [world.options.seriesNames.apyValues]: values }
  return world.options.wrapApyChart ? { data: series } : series
}

const historicalAllocations = (call: Call): unknown => {
  const { query, world } = call
  const startDay = query.day("startDate") ?? -Infinity
  const endDay = query.day("endDate") ?? Infinity
  const vault = chainScopedVault(call)
  const { first, last } = allocationDays(world, vault)
  const points: unknown[] = []
  for (let day = Math.max(first, startDay); day <= Math.min(last, endDay); day += 1) {
    for (const { protocol, usd, pct } of allocationsOn(world, vault, day)) {
      points.push({ date: isoDay(day), protocol, value_usd: usd, allocation_pct: pct })
    }
  }
  return { vault_address: vault.address, chain_id: vault.chainId, points }
}

const positions = (call: Call): unknown => {
  const vault = chainScopedVault(call)
  const record = positionsRecord(call.world, vault)
  if (record === undefined) throw notFound(`No positions snapshot for vault ${vault.address}`)
  return record
}

export const seriesRows: readonly Row[] = [
  {
    method: "GET",
    path: "/platform/unrealized_pnl",
    tier: "public",
    documented: [
      "[].unrealizedPnl",
      "[].unrealizedPnlInAsset",
      "[].actual_tvl",
      "[].tvl_on_vault",
      "[].adjusted_redeem_ratio",
    ],
    answer: unrealizedPnl,
  },
  {
    method: "GET",
    path: "/platform/positions/{vault_address}",
    tier: "public",
    documented: [
      "snapshot_at",
      "total_nav",
      "reported_tvl",
      "subaccounts",
      "subaccounts[].total_usd",
    ],
    answer: positions,
  },
  {
    method: "GET",
    path: "/platform/historical_allocations/{vault_address}",
    tier: "public",
    documented: ["points", "points[].date"],
    answer: historicalAllocations,
  },
  {
    method: "GET",
    path: "/platform/historical_apy/chart",
    tier: "public",
    documented: ["labels", "values"],
    answer: apyChart,
  },
]
