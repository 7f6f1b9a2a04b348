// Every pipeline and every table. A new pipeline is one file and one line here.
import type { Table } from "../domain/table.ts"
import { operationTables } from "../load/tables/index.ts"
import { coreTables } from "../transform/tables/index.ts"
import type { AnyPipeline } from "./Pipeline.ts"
import { allocationHistoryPipeline } from "./transparency/allocation_history.ts"
import { apyHistoryPipeline } from "./transparency/apy_history.ts"
import { pnlHistoryPipeline } from "./transparency/pnl_history.ts"
import { ratioHistoryPipeline } from "./transparency/ratio_history.ts"
import { vaultsPipeline } from "./vaults/vaults.ts"
import { auditLogPipeline } from "./governance/audit_log.ts"
import { permissionsPipeline } from "./governance/permissions.ts"
import { rolesPipeline } from "./governance/roles.ts"
import { timelockRequestsPipeline } from "./governance/timelock_requests.ts"
import { timelocksPipeline } from "./governance/timelocks.ts"
import { revertReasonsPipeline } from "./transparency/revert_reasons.ts"
import { subaccountsPipeline } from "./subaccounts/subaccounts.ts"
import { mySubaccountsPipeline } from "./subaccounts/my_subaccounts.ts"
import { vaultSubaccountsPipeline } from "./curator/vault_subaccounts.ts"
import { whitelistStatusPipeline } from "./curator/whitelist_status.ts"
import { subaccountSummariesPipeline } from "./subaccounts/subaccount_summaries.ts"
import { healthFactorsPipeline } from "./subaccounts/health_factors.ts"
import { protocolPositionsPipeline } from "./subaccounts/protocol_positions.ts"
import { cefiPositionsPipeline } from "./subaccounts/cefi_positions.ts"
import { subaccountOtcPositionsPipeline } from "./subaccounts/subaccount_otc_positions.ts"
import { feesPipeline } from "./transparency/fees.ts"
import { oracleClassificationPipeline } from "./transparency/oracle_classification.ts"
import { positionsPipeline } from "./transparency/positions.ts"
import { annualizedApyPipeline } from "./vaults/annualized_apy.ts"
import { performanceFeesPipeline } from "./vaults/performance_fees.ts"
import { vaultDetailsPipeline } from "./vaults/vault_details.ts"
import { vaultSummariesPipeline } from "./vaults/vault_summaries.ts"
import { withdrawalsPipeline } from "./vaults/withdrawals.ts"
import { transactionsPipeline } from "./subaccounts/transactions.ts"
import { loansPipeline } from "./loans/loans.ts"
import { loanDetailsPipeline } from "./loans/loan_details.ts"
import { subaccountLoansPipeline } from "./loans/subaccount_loans.ts"
import { discountFactorsPipeline } from "./risk/discount_factors.ts"
import { collateralExcessPipeline } from "./risk/collateral_excess.ts"
import { collateralSimulationsPipeline } from "./risk/collateral_simulations.ts"
import { otcPositionsPipeline } from "./otc/otc_positions.ts"
import { otcMarginRequirementsPipeline } from "./otc/otc_margin_requirements.ts"

export const pipelines: ReadonlyArray<AnyPipeline> = [
  vaultsPipeline,
  ratioHistoryPipeline,
  pnlHistoryPipeline,
  apyHistoryPipeline,
  allocationHistoryPipeline,
  rolesPipeline,
  permissionsPipeline,
  timelocksPipeline,
  timelockRequestsPipeline,
  auditLogPipeline,
  subaccountsPipeline,
  mySubaccountsPipeline,
  vaultSubaccountsPipeline,
  whitelistStatusPipeline,
  subaccountSummariesPipeline,
  healthFactorsPipeline,
  protocolPositionsPipeline,
  cefiPositionsPipeline,
  subaccountOtcPositionsPipeline,
  vaultDetailsPipeline,
  vaultSummariesPipeline,
  annualizedApyPipeline,
  withdrawalsPipeline,
  positionsPipeline,
  feesPipeline,
  oracleClassificationPipeline,
  performanceFeesPipeline,
  transactionsPipeline,
  revertReasonsPipeline,
  loansPipeline,
  loanDetailsPipeline,
  subaccountLoansPipeline,
  discountFactorsPipeline,
  collateralExcessPipeline,
  collateralSimulationsPipeline,
  otcPositionsPipeline,
  otcMarginRequirementsPipeline,
]

export const pipelineNames: ReadonlyArray<string> = pipelines.map(({ name }) => name)

export const tables: ReadonlyArray<Table> = [...coreTables, ...operationTables]
