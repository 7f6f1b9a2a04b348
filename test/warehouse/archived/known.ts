// What archived responses say of each vault, read as the API document describes them (§2.9, §2.10, §4): a later response
// replaces what an earlier one said of the same instant or day. No SQL, and nothing of src/.
import { apyDays, dayOf, type PnlSnapshot, type RatioPoint } from "../independent.ts"
import type { Archived } from "./archive.ts"

export interface Position {
  readonly at: string
  readonly nav: number
  /** Of the vault's contract; the document does not say in what. */
  readonly byContract: number
  readonly buffer: number
  readonly subaccounts: ReadonlyArray<string>
}

export interface Fees {
  /** Milliseconds since 1970. */
  readonly readAt: number
  readonly management: number
  readonly performance: number
}

export interface KnownVault {
  readonly address: string
  readonly chain: number
  readonly name: string
  readonly subaccounts: ReadonlyArray<string>
  /** Of the curator's list (§4.4). */
  linked: ReadonlyArray<string>
  readonly ratios: Map<string, RatioPoint>
  readonly pnl: Map<string, PnlSnapshot>
  readonly smoothed: Map<string, number>
  readonly raw: Map<string, number>
  /** Value of each protocol, by day. */
  readonly allocations: Map<string, ReadonlyMap<string, number>>
  readonly positions: Map<string, Position>
  /** Each as it was when it changed. */
  readonly fees: Array<Fees>
  /** Of the vault's own record, where no fees are published (§4.1: EVM vaults only). */
  readonly recordFees: Array<Fees>
  withdrawals: { readonly total: number; readonly assets: number } | undefined
}

export interface Known {
  readonly vaults: ReadonlyMap<string, KnownVault>
  /** The newest calculation of each subaccount. */
  readonly health: ReadonlyMap<
    string,
    { readonly at: string; readonly factor: number; readonly loan: number }
  >
}

interface VaultRecord {
  readonly address: string
  readonly chainId: number
  readonly name: string
  readonly subaccounts: ReadonlyArray<string>
  readonly feeStructure: { readonly managementFeePct: number; readonly performanceFeePct: number }
}

const spelled = (address: string): string =>
  /^0x/i.test(address) ? address.toLowerCase() : address

const changed = (all: Array<Fees>, fees: Fees): void => {
  const last = all.at(-1)
  if (last?.management !== fees.management || last.performance !== fees.performance) all.push(fees)
}

const seriesOf = (vault: KnownVault, url: URL): Map<string, number> | undefined => {
  // The default of §4.1; other windows are other series.
  if ((url.searchParams.get("averagingPeriodDays") ?? "7") !== "7") return undefined
  return url.searchParams.get("applySmoothing") === "false" ? vault.raw : vault.smoothed
}

export const knownFrom = (responses: ReadonlyArray<Archived>): Known => {
  const vaults = new Map<string, KnownVault>()
  const health = new Map<string, { at: string; factor: number; loan: number }>()
  for (const { url, receivedAt, body } of responses) {
    const { pathname: path, searchParams: query } = url
    const last = spelled(path.split("/").at(-1) ?? "")
    const of = vaults.get(spelled(query.get("vault") ?? last))
    if (path === "/tokenized_vault") {
      for (const { address, chainId, name, subaccounts } of body as ReadonlyArray<VaultRecord>) {
        const key = spelled(address)
        vaults.set(key, {
          ratios: new Map(),
          pnl: new Map(),
          smoothed: new Map(),
          raw: new Map(),
          allocations: new Map(),
          positions: new Map(),
          fees: [],
          recordFees: [],
          withdrawals: undefined,
          linked: [],
          ...vaults.get(key),
          address: key,
          chain: chainId,
          name,
          subaccounts: subaccounts.map(spelled),
        })
      }
    } else if (path === "/subaccounts/health_factor") {
      const { healthFactor, totalLoan, dateTime } = body as Record<string, number> & {
        readonly dateTime: string
      }
      const key = spelled(query.get("address") ?? "")
      if ((health.get(key)?.at ?? "") <= dateTime) {
        health.set(key, { at: dateTime, factor: healthFactor ?? NaN, loan: totalLoan ?? NaN })
      }
    } else if (/^\/curator\/vaults\/[^/]+\/subaccounts$/.test(path)) {
      const vault = vaults.get(spelled(path.split("/")[3] ?? ""))
      const items = body as ReadonlyArray<{ readonly address: string }>
      if (vault !== undefined) vault.linked = items.map(({ address }) => spelled(address))
    } else if (of === undefined) continue
    else if (path.endsWith("/unrealized_pnl") && query.get("fields") === "ratio") {
      for (const point of body as ReadonlyArray<RatioPoint>) of.ratios.set(point.timestamp, point)
    } else if (path.endsWith("/unrealized_pnl")) {
      for (const point of body as ReadonlyArray<PnlSnapshot>) of.pnl.set(point.timestamp, point)
    } else if (path.endsWith("/historical_apy/chart")) {
      const { labels, values } = body as { labels: Array<string>; values: Array<number> }
      for (const [day, value] of apyDays(labels, values)) seriesOf(of, url)?.set(day, value)
    } else if (path.includes("/historical_allocations/")) {
      const { points } = body as {
        readonly points: ReadonlyArray<{ date: string; protocol: string; value_usd: number }>
      }
      for (const [day, parts] of Map.groupBy(points, ({ date }) => dayOf(date))) {
        of.allocations.set(day, new Map(parts.map((each) => [each.protocol, each.value_usd])))
      }
    } else if (path.includes("/positions/")) {
      const record = body as {
        readonly snapshot_at: string
        readonly total_nav: number
        readonly reported_tvl: number
        readonly subaccounts: ReadonlyArray<{ address: string; total_usd: number }>
      }
      const inSubaccounts = record.subaccounts.reduce((sum, each) => sum + each.total_usd, 0)
      of.positions.set(record.snapshot_at, {
        at: record.snapshot_at,
        nav: record.total_nav,
        byContract: record.reported_tvl,
        buffer: record.total_nav - inSubaccounts,
        subaccounts: record.subaccounts.map(({ address }) => spelled(address)),
      })
    } else if (path.includes("/fees/")) {
      const fees = body as { management_fee_pct: number; performance_fee_pct: number }
      changed(of.fees, {
        readAt: receivedAt,
        management: fees.management_fee_pct,
        performance: fees.performance_fee_pct,
      })
    } else if (path.includes("/withdrawals/")) {
      const { totalWithdrawals, totalAssets } = body as Record<string, number>
      of.withdrawals = { total: totalWithdrawals ?? NaN, assets: totalAssets ?? NaN }
    } else if (path === `/tokenized_vault/${path.split("/").at(-1) ?? ""}`) {
      const { feeStructure } = body as VaultRecord
      changed(of.recordFees, {
        readAt: receivedAt,
        management: feeStructure.managementFeePct,
        performance: feeStructure.performanceFeePct,
      })
    }
  }
  return { vaults, health }
}
