// Every endpoint that vaulthouse reads. A new endpoint needs one file in a folder here and one line below.
import type { AnyEndpoint } from "../Endpoint.ts"
import { swap } from "./swap/swap.ts"
import { historicalAllocations } from "./transparency/historical_allocations.ts"
import { historicalApyChart } from "./transparency/historical_apy_chart.ts"
import { unrealizedPnl } from "./transparency/unrealized_pnl.ts"
import { unrealizedPnlRatio } from "./transparency/unrealized_pnl_ratio.ts"
import { tokenizedVaults } from "./vaults/tokenized_vaults.ts"
import { loans } from "./loans/loans.ts"
import { loanDetail } from "./loans/loan_detail.ts"
import { subaccountLoans } from "./loans/subaccount_loans.ts"
import { transactions } from "./subaccounts/transactions.ts"
import { discountFactors } from "./risk/discount_factors.ts"
import { collateralExcess } from "./risk/collateral_excess.ts"
import { collateralSimulation } from "./risk/collateral_simulation.ts"
import { otcPositions } from "./otc/otc_positions.ts"
import { otcMarginRequirements } from "./otc/otc_margin_requirements.ts"
import { vaultSubaccounts } from "./curator/vault_subaccounts.ts"
import { whitelistStatus } from "./curator/whitelist_status.ts"
import { subaccountDirectory } from "./subaccounts/subaccount_directory.ts"
import { mySubaccounts } from "./subaccounts/my_subaccounts.ts"
import { subaccountSummary } from "./subaccounts/subaccount_summary.ts"
import { healthFactor } from "./subaccounts/health_factor.ts"
import { protocolPositions } from "./subaccounts/protocol_positions.ts"
import { cefiPositions } from "./subaccounts/cefi_positions.ts"
import { subaccountOtcPositions } from "./subaccounts/subaccount_otc_positions.ts"
import { keyVerification } from "./subaccounts/key_verification.ts"
import { auditLog } from "./governance/audit_log.ts"
import { permissions } from "./governance/permissions.ts"
import { roles } from "./governance/roles.ts"
import { timelockRequests } from "./governance/timelock_requests.ts"
import { timelocks } from "./governance/timelocks.ts"
import { revertReason } from "./transparency/revert_reason.ts"
import { fees } from "./transparency/fees.ts"
import { oracleClassification } from "./transparency/oracle_classification.ts"
import { positions } from "./transparency/positions.ts"
import { annualizedApy } from "./vaults/annualized_apy.ts"
import { performanceFees } from "./vaults/performance_fees.ts"
import { tokenizedVault } from "./vaults/tokenized_vault.ts"
import { vaultSummary } from "./vaults/vault_summary.ts"
import { withdrawals } from "./vaults/withdrawals.ts"

export const endpoints: ReadonlyArray<AnyEndpoint> = [
  tokenizedVaults,
  unrealizedPnlRatio,
  unrealizedPnl,
  historicalApyChart,
  historicalAllocations,
  swap,
  loans,
  loanDetail,
  subaccountLoans,
  transactions,
  discountFactors,
  collateralExcess,
  collateralSimulation,
  otcPositions,
  otcMarginRequirements,
  vaultSubaccounts,
  whitelistStatus,
  subaccountDirectory,
  mySubaccounts,
  subaccountSummary,
  healthFactor,
  protocolPositions,
  cefiPositions,
  subaccountOtcPositions,
  keyVerification,
  auditLog,
  permissions,
  roles,
  timelocks,
  timelockRequests,
  revertReason,
  tokenizedVault,
  vaultSummary,
  annualizedApy,
  withdrawals,
  positions,
  fees,
  oracleClassification,
  performanceFees,
]
