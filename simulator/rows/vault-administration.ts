// Rows of §4.4 about a vault's administration: curator views, raw timelock requests, fees earned.
import { iso, naive } from "../values/calendar.ts"
import { kindOf, addressKey } from "../values/addresses.ts"
import { rawAmount } from "../values/amounts.ts"
import { hexOf, keyOf, pick, rounded, unit } from "../values/noise.ts"
import { assetPrice } from "../generate/pnl.ts"
import { ratioAt } from "../generate/ratio.ts"
import { directoryOf, listItem } from "../generate/subaccounts.ts"
import { timelockMs, timelockStatuses, timelocksOf } from "../generate/timelocks.ts"
import { lastHour } from "../generate/world.ts"
import type { SimulatorOptions } from "../options.ts"
import { ApiError, invalid } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { vaultBy } from "../call/row.ts"
import { curatedVault } from "../call/subject.ts"

const linked = (call: Call) => {
  const vault = curatedVault(call)
  return [...directoryOf(call.world).values()].filter((sub) => sub.vault?.index === vault.index)
}

const whitelist = (call: Call): unknown => {
  const kind = kindOf(call.param("vault_address"))
  if (kind !== undefined && kind !== "evm") {
    throw new ApiError(400, "The whitelist exists for EVM vaults only")
  }
  return linked(call).map((sub) => ({
    subaccount_address: sub.address,
    name: sub.name,
    is_whitelisted: unit(sub.key, 60) < 0.8,
    checked_at: iso(call.clock),
  }))
}

const timelockRequests = ({ world, query }: Call): unknown => {
  const address = query.required("vaultAddress")
  const chainId = query.requiredInteger("chainId", { min: 1 })
  const status = query.text("status") ?? "scheduled"
  // §7 lists this apart from the 422s, as an "other non-2xx".
  if (![...timelockStatuses, "all"].includes(status)) {
    throw new ApiError(400, `Invalid status filter: ${status}`)
  }
  if (kindOf(address) === undefined) throw invalid("query", "vaultAddress", "Invalid address")
  const vault = world.byAddress.get(addressKey(address))
  if (vault === undefined || vault.chainId !== chainId) return []
  return timelocksOf(world, vault)
    .filter((timelock) => status === "all" || timelock.status === status)
    .map((timelock) => ({
      operation_id: timelock.id,
      vault_address: vault.address,
      chain_id: vault.chainId,
      status: timelock.status,
      function_name: timelock.action,
      value: rawAmount(unit(vault.key + 110, timelock.ordinal), 18, world.options.bigIntegers),
      data: hexOf(keyOf(vault.key, "calldata", timelock.ordinal), 36),
      delay_seconds: timelockMs / 1000,
      scheduled_at: naive(timelock.scheduledMs),
      closed_at: timelock.closedMs === null ? null : naive(timelock.closedMs),
    }))
}

/** The requested period, in milliseconds; a custom range overrides the named one (§4.4). */
const periodOf = ({ world, query }: Call) => {
  const named = query.oneOf("calculationPeriod", ["YearToDate", "MonthToDate"] as const)
  const start = query.instant("startDate")
  const end = query.instant("endDate")
  if ((start === undefined) !== (end === undefined)) {
    throw invalid("query", "startDate", "startDate and endDate go together")
  }
  if (start !== undefined && end !== undefined) return { name: "Custom", start, end }
  const now = new Date(world.nowMs)
  const month = named === "MonthToDate" ? now.getUTCMonth() : 0
  const begin = Date.UTC(now.getUTCFullYear(), month, 1)
  return { name: named ?? "YearToDate", start: begin, end: world.nowMs }
}

const performanceFees = (call: Call): unknown => {
  const { world, query } = call
  const period = periodOf(call)
  const annualized = query.number("annualizedFeesPct", { min: 0 }) ?? 20
  const native = query.flag("nativeDenominated", true)
  const vault = vaultBy(call, query.required("vault"), "query")
  const last = lastHour(world, vault)
  const from = Math.max(vault.firstHour, Math.ceil(period.start / 3_600_000))
  const to = Math.min(last, Math.floor(period.end / 3_600_000))
  if (!(to - from >= 24)) throw new ApiError(400, "Insufficient snapshot data for the period")
  const nav = ratioAt(world, vault, to).actual
  const gained = nav * 0.08 * ((to - from) / 8766) * (0.5 + unit(vault.key, 120))
  const usd = (gained * annualized) / 100
  const asset = native ? usd / assetPrice(vault, to) : usd
  return {
    vault_address: vault.address,
    calculation_period: period.name,
    start_date: iso(period.start),
    end_date: iso(period.end),
    annualized_fees_pct: annualized,
    native_denominated: native,
    total_perf_fees_asset: rounded(asset, 8),
    snapshots_used: to - from + 1 - pick(vault.key, 121, 3),
    calculated_at: iso(call.clock),
  }
}

const row = (path: string, documented: readonly string[], answer: Row["answer"]): Row => ({
  method: "GET",
  path,
  tier: "curator",
  documented,
  answer,
})

export const administrationRows = ({ tiers }: SimulatorOptions): readonly Row[] => [
  row("/curator/vaults/{vault_address}/subaccounts", [], (call) => linked(call).map(listItem)),
  row("/curator/vaults/{vault_address}/whitelist", ["[].is_whitelisted"], whitelist),
  { ...row("/timelock-requests", [], timelockRequests), tier: tiers.timelockRequests },
  {
    ...row("/metrics/vault_performance_fees", ["total_perf_fees_asset"], performanceFees),
    tier: tiers.performanceFees,
    cacheSeconds: 1200,
    slow: true,
  },
]
