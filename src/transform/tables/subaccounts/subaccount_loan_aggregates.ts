// core.subaccount_loan_aggregates: credit and debt of each subaccount by token.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { ordinal, symbol, tokenAddress, tokenChainId } from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const subaccountLoanAggregates: Table = {
  schema: "core",
  name: "subaccount_loan_aggregates",
  mode: "slowly_changing",
  grain: "subaccount, place in the list and version",
  comment: "Credit and debt by token, from the loan books in subaccount summaries.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "ordinal"],
  columns: [
    subaccountAddress,
    ordinal,
    symbol,
    tokenAddress,
    tokenChainId,
    field.double("credit", "Credit in the token, as sent", { names: ["credit", "total_credit"] }),
    field.double("debt", "Debt in the token, as sent", { names: ["debt", "total_debt"] }),
    ...restOfRecord,
  ],
  example:
    "select chain_id, token_address, symbol, case when count(credit) = count(*) then sum(credit) end as credit, case when count(debt) = count(*) then sum(debt) end as debt from core.subaccount_loan_aggregates where is_current group by all",
}
