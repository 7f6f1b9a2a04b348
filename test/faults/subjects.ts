// The rows of the API document: how each is read, and the field of it that is missing, null, of another type and so on.

/** The documented field where the document names one (§2), else one that it leaves open. */
export interface Subject {
  readonly strategy: Strategy
  readonly field: string
  /** A text field outside the key, where `field` is not one. */
  readonly text?: string
}

export type Strategy =
  | "one record"
  | "a list"
  | "offset pages"
  | "a cursor"
  | "windows of days"
  | "newest points"
  | "windows of time"
  | "a request once"
  | "sent by hand"

export const subjects: Readonly<Record<string, Subject>> = {
  tokenized_vaults: { strategy: "a list", field: "[].name" },
  tokenized_vault: { strategy: "one record", field: "name" },
  vault_summary: { strategy: "one record", field: "name" },
  annualized_apy: { strategy: "one record", field: "liquidAPY7Day" },
  withdrawals: { strategy: "one record", field: "totalAssets" },
  performance_fees: {
    strategy: "one record",
    field: "total_perf_fees_asset",
    text: "calculation_period",
  },
  unrealized_pnl: { strategy: "newest points", field: "[].unrealizedPnl" },
  unrealized_pnl_ratio: { strategy: "windows of days", field: "[].actual_tvl" },
  historical_allocations: { strategy: "windows of days", field: "points[].date" },
  historical_apy_chart: { strategy: "newest points", field: "labels" },
  positions: { strategy: "one record", field: "total_nav", text: "subaccounts[].name" },
  fees: { strategy: "one record", field: "management_fee_pct" },
  oracle_classification: {
    strategy: "one record",
    field: "warnings",
    text: "positions[].protocol",
  },
  revert_reason: { strategy: "a request once", field: "revert_reasons" },
  permissions: { strategy: "one record", field: "permissions[].integration" },
  roles: { strategy: "one record", field: "roles[].is_safe", text: "roles[].custodian" },
  timelocks: {
    strategy: "one record",
    field: "timelocks[].executable_at",
    text: "timelocks[].function_name",
  },
  timelock_requests: { strategy: "a list", field: "[].function_name" },
  audit_log: { strategy: "a cursor", field: "entries[].summary" },
  my_subaccounts: { strategy: "a list", field: "[].friendlyName" },
  subaccount_directory: { strategy: "offset pages", field: "[].friendlyName" },
  subaccount_summary: { strategy: "one record", field: "netAccountValue", text: "name" },
  health_factor: { strategy: "one record", field: "healthFactor" },
  protocol_positions: {
    strategy: "one record",
    field: "totalUsdValue",
    text: "positions[].protocol",
  },
  cefi_positions: { strategy: "a list", field: "[].unrealizedPnl", text: "[].side" },
  subaccount_otc_positions: { strategy: "a list", field: "[].markUsd", text: "[].instrument" },
  subaccount_loans: { strategy: "a list", field: "[].apr", text: "[].state" },
  transactions: { strategy: "windows of time", field: "[].functionName" },
  vault_subaccounts: { strategy: "a list", field: "[].friendlyName" },
  whitelist_status: { strategy: "a list", field: "[].is_whitelisted", text: "[].name" },
  loans: { strategy: "a list", field: "[].apr", text: "[].state" },
  loan_detail: { strategy: "one record", field: "apr", text: "state" },
  discount_factors: { strategy: "a list", field: "[].chain", text: "[].symbol" },
  collateral_excess: { strategy: "one record", field: "amount_usd" },
  collateral_simulation: {
    strategy: "one record",
    field: "total_required_collateral_usd",
    text: "tokens[].symbol",
  },
  otc_positions: { strategy: "a list", field: "[].markUsd", text: "[].instrument" },
  otc_margin_requirements: { strategy: "a list", field: "[].requiredUsd" },
  swap: { strategy: "sent by hand", field: "transaction_hash" },
  key_verification: { strategy: "sent by hand", field: "valid" },
}
