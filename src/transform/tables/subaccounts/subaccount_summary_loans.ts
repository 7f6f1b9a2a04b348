// core.subaccount_summary_loans: loans in the loan book of each subaccount's summary.
import type { Table } from "../../../domain/table.ts"
import { ordinal, tokenChainId } from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

export const subaccountSummaryLoans: Table = {
  schema: "core",
  name: "subaccount_summary_loans",
  mode: "slowly_changing",
  grain: "subaccount, place in the list and version",
  comment:
    "Loans as the summaries of subaccounts show them, one row a loan and version. core.loans has the history of each loan itself.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "ordinal"],
  columns: [
    subaccountAddress,
    ordinal,
    {
      name: "loan_address",
      type: "text",
      comment: "Address of the loan; EVM in lower case",
    },
    tokenChainId,
    {
      name: "state",
      type: "text",
      comment: "State of the loan; `ACTIVE` and others (§3)",
    },
    {
      name: "is_borrow",
      type: "boolean",
      fields: ["is_borrow", "isBorrow"],
      comment: "Whether the subaccount is the borrower",
    },
    {
      name: "book",
      type: "json",
      fields: ["book"],
      comment: "The loan, as served",
    },
    {
      name: "debt_info",
      type: "json",
      fields: ["debt_info", "debtInfo"],
      comment: "What is owed and was repaid, as served",
    },
    {
      name: "credit_info",
      type: "json",
      fields: ["credit_info", "creditInfo"],
      comment: "What is due to the subaccount, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, state, is_borrow, count(*) as loans from core.subaccount_summary_loans where is_current group by all",
}
