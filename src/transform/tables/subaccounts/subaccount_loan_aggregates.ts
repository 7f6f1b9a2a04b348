// core.subaccount_loan_aggregates: credit and debt of each subaccount by token.
import type { Table } from "../../../domain/table.ts"
import { spellings } from "../../fields/takenFields.ts"
import { ordinal, symbol, tokenAddress, tokenChainId } from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

export const subaccountLoanAggregates: Table = {
  schema: "core",
  name: "subaccount_loan_aggregates",
  mode: "slowly_changing",
  grain: "subaccount, place in the list and version",
  comment: "Credit and debt by token, from the loan book of the summaries of subaccounts.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "ordinal"],
  columns: [
    subaccountAddress,
    ordinal,
    symbol,
    tokenAddress,
    tokenChainId,
    {
      name: "credit",
      type: "double",
      fields: spellings("credit", "total_credit", "credit_amount"),
      comment: "Credit in the token, as served",
    },
    {
      name: "debt",
      type: "double",
      fields: spellings("debt", "total_debt", "debt_amount"),
      comment: "Debt in the token, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select symbol, sum(credit) as credit, sum(debt) as debt from core.subaccount_loan_aggregates where is_current group by symbol",
}
