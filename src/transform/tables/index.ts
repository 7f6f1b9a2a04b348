// Every table of the schema core. A new table needs one file in a folder here and one line below.
import type { Table } from "../../domain/table.ts"
import { responseEnvelopes } from "./response_envelopes.ts"
import { transactions } from "./subaccounts/transactions.ts"
import { vaultSubaccounts } from "./curator/vault_subaccounts.ts"
import { mySubaccounts } from "./subaccounts/my_subaccounts.ts"
import { subaccounts } from "./subaccounts/subaccounts.ts"
import { swaps } from "./swaps/swaps.ts"
import { allocationHistory } from "./transparency/allocation_history.ts"
import { apyHistory } from "./transparency/apy_history.ts"
import { observationWarnings } from "./transparency/observation_warnings.ts"
import { pnlHistory } from "./transparency/pnl_history.ts"
import { ratioHistory } from "./transparency/ratio_history.ts"
import { vaultReportedMetrics } from "./vaults/vault_reported_metrics.ts"
import { vaults } from "./vaults/vaults.ts"
import { auditLog } from "./governance/audit_log.ts"
import { permissions } from "./governance/permissions.ts"
import { roles } from "./governance/roles.ts"
import { timelockRequests } from "./governance/timelock_requests.ts"
import { timelocks } from "./governance/timelocks.ts"
import { revertReasons } from "./transparency/revert_reasons.ts"
import { whitelistStatus } from "./curator/whitelist_status.ts"
import { subaccountSummaries } from "./subaccounts/subaccount_summaries.ts"
import { subaccountTokens } from "./subaccounts/subaccount_tokens.ts"
import { subaccountPortfolioPositions } from "./subaccounts/subaccount_portfolio_positions.ts"
import { subaccountSummaryLoans } from "./subaccounts/subaccount_summary_loans.ts"
import { subaccountLoanAggregates } from "./subaccounts/subaccount_loan_aggregates.ts"
import { healthFactors } from "./subaccounts/health_factors.ts"
import { protocolPositions } from "./subaccounts/protocol_positions.ts"
import { cefiPositions } from "./subaccounts/cefi_positions.ts"
import { subaccountOtcPositions } from "./subaccounts/subaccount_otc_positions.ts"
import { loans } from "./loans/loans.ts"
import { loanDetails } from "./loans/loan_details.ts"
import { subaccountLoans } from "./loans/subaccount_loans.ts"
import { discountFactors } from "./risk/discount_factors.ts"
import { collateralExcess } from "./risk/collateral_excess.ts"
import { collateralSimulations } from "./risk/collateral_simulations.ts"
import { collateralSimulationTokens } from "./risk/collateral_simulation_tokens.ts"
import { otcPositions } from "./otc/otc_positions.ts"
import { otcMarginRequirements } from "./otc/otc_margin_requirements.ts"
import { fees } from "./transparency/fees.ts"
import { oracleClassification } from "./transparency/oracle_classification.ts"
import { positionSnapshots } from "./transparency/position_snapshots.ts"
import { positionSubaccounts } from "./transparency/position_subaccounts.ts"
import { annualizedApy } from "./vaults/annualized_apy.ts"
import { performanceFees } from "./vaults/performance_fees.ts"
import { vaultDetailMetrics } from "./vaults/vault_detail_metrics.ts"
import { vaultDetails } from "./vaults/vault_details.ts"
import { vaultIntegrations } from "./vaults/vault_integrations.ts"
import { vaultOperators } from "./vaults/vault_operators.ts"
import { vaultRewards } from "./vaults/vault_rewards.ts"
import { vaultStrategies } from "./vaults/vault_strategies.ts"
import { vaultSummaries } from "./vaults/vault_summaries.ts"
import { vaultSummaryAllocations } from "./vaults/vault_summary_allocations.ts"
import { withdrawalRequests } from "./vaults/withdrawal_requests.ts"
import { withdrawalSummaries } from "./vaults/withdrawal_summaries.ts"

export const coreTables: ReadonlyArray<Table> = [
  vaults,
  vaultReportedMetrics,
  ratioHistory,
  pnlHistory,
  apyHistory,
  allocationHistory,
  observationWarnings,
  responseEnvelopes,
  subaccounts,
  mySubaccounts,
  vaultSubaccounts,
  transactions,
  swaps,
  roles,
  permissions,
  timelocks,
  timelockRequests,
  auditLog,
  revertReasons,
  whitelistStatus,
  subaccountSummaries,
  subaccountTokens,
  subaccountPortfolioPositions,
  subaccountSummaryLoans,
  subaccountLoanAggregates,
  healthFactors,
  protocolPositions,
  cefiPositions,
  subaccountOtcPositions,
  loans,
  loanDetails,
  subaccountLoans,
  discountFactors,
  collateralExcess,
  collateralSimulations,
  collateralSimulationTokens,
  otcPositions,
  otcMarginRequirements,
  vaultDetails,
  vaultDetailMetrics,
  vaultStrategies,
  vaultOperators,
  vaultRewards,
  vaultIntegrations,
  vaultSummaries,
  vaultSummaryAllocations,
  annualizedApy,
  withdrawalSummaries,
  withdrawalRequests,
  positionSnapshots,
  positionSubaccounts,
  fees,
  oracleClassification,
  performanceFees,
]
