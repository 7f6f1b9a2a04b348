// Vaults (§4.2): the lists of them, and what each one publishes about itself.
import { endOfDay, formatDay, startOfDay } from "../../domain/values/time.ts"
import { annualizedApy as annualizedApyEndpoint } from "../../extract/endpoints/vaults/annualized_apy.ts"
import { performanceFees as performanceFeesEndpoint } from "../../extract/endpoints/vaults/performance_fees.ts"
import { tokenizedVault } from "../../extract/endpoints/vaults/tokenized_vault.ts"
import { vaultSummary } from "../../extract/endpoints/vaults/vault_summary.ts"
import { withdrawals } from "../../extract/endpoints/vaults/withdrawals.ts"
import { annualizedApy, annualizedApyRows } from "../../transform/tables/vaults/annualized_apy.ts"
import {
  performanceFeeRows,
  performanceFees,
} from "../../transform/tables/vaults/performance_fees.ts"
import { vaultDetailMetrics } from "../../transform/tables/vaults/vault_detail_metrics.ts"
import { vaultDetailRows } from "../../transform/tables/vaults/vaultDetailRecords.ts"
import { vaultDetails } from "../../transform/tables/vaults/vault_details.ts"
import { vaultIntegrations } from "../../transform/tables/vaults/vault_integrations.ts"
import { vaultOperators } from "../../transform/tables/vaults/vault_operators.ts"
import { vaultRewards } from "../../transform/tables/vaults/vault_rewards.ts"
import { vaultStrategies } from "../../transform/tables/vaults/vault_strategies.ts"
import { vaultSummaries } from "../../transform/tables/vaults/vault_summaries.ts"
import { vaultSummaryAllocations } from "../../transform/tables/vaults/vault_summary_allocations.ts"
import { vaultSummaryRows } from "../../transform/tables/vaults/vaultSummaryRecords.ts"
import { withdrawalRequests } from "../../transform/tables/vaults/withdrawals/withdrawal_requests.ts"
import { withdrawalRows } from "../../transform/tables/vaults/withdrawals/withdrawalRecords.ts"
import { withdrawalSummaries } from "../../transform/tables/vaults/withdrawals/withdrawal_summaries.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { vaults as everyVault, vaultsByChain } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"
import { vaultListsPipeline } from "./vaults/vault_lists.ts"

// The service's own defaults (§4.4, §8), sent so that the rows record them.
const feeDefaults = { annualizedFeesPct: 20, nativeDenominated: true }

export const vaults: ReadonlyArray<AnyPipeline> = [
  vaultListsPipeline,
  snapshot({
    name: "vault_details",
    title: "Vault details",
    cadence: "daily",
    tables: [
      vaultDetails,
      vaultDetailMetrics,
      vaultStrategies,
      vaultOperators,
      vaultRewards,
      vaultIntegrations,
    ],
    endpoint: tokenizedVault,
    partitions: everyVault,
    requests: ({ wireAddress }) => single({ vault_address: wireAddress }),
    rows: vaultDetailRows,
  }),
  snapshot({
    name: "vault_summaries",
    title: "Vault summaries",
    cadence: "hourly",
    tables: [vaultSummaries, vaultSummaryAllocations],
    endpoint: vaultSummary,
    partitions: everyVault,
    requests: ({ wireAddress }) => single({ vault_address: wireAddress }),
    rows: vaultSummaryRows,
  }),
  // Available for a fixed set of four vaults; the service refuses the others.
  snapshot({
    name: "annualized_apy",
    title: "Annualized APY",
    cadence: "daily",
    tables: [annualizedApy],
    endpoint: annualizedApyEndpoint,
    partitions: everyVault,
    requests: ({ wireAddress }) => single({ vault_address: wireAddress }),
    rows: annualizedApyRows,
  }),
  snapshot({
    name: "withdrawals",
    title: "Withdrawals",
    cadence: "hourly",
    tables: [withdrawalSummaries, withdrawalRequests],
    endpoint: withdrawals,
    partitions: vaultsByChain,
    requests: ({ wireAddress, chainId }) => single({ chain: chainId, vault_address: wireAddress }),
    rows: withdrawalRows,
  }),
  // The year and the month to date, and the ranges the configuration names.
  snapshot({
    name: "performance_fees",
    title: "Performance fees",
    cadence: "daily",
    tables: [performanceFees],
    endpoint: performanceFeesEndpoint,
    partitions: everyVault,
    requests: ({ wireAddress: vault }, { performanceFeeRanges }) => [
      ...(["YearToDate", "MonthToDate"] as const).map((calculationPeriod) => ({
        window: calculationPeriod,
        inputs: { vault, calculationPeriod, ...feeDefaults },
      })),
      ...performanceFeeRanges.map(({ start, end }) => ({
        window: `${formatDay(start)}..${formatDay(end)}`,
        inputs: { vault, startDate: startOfDay(start), endDate: endOfDay(end), ...feeDefaults },
      })),
    ],
    rows: performanceFeeRows,
  }),
]
