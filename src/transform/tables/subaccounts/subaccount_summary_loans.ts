// core.subaccount_summary_loans: loans in the loan book of each subaccount's summary.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { address, chain, nonEmpty } from "../../fields/readers.ts"
import { ordinal } from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const subaccountSummaryLoans: Table = {
  schema: "core",
  name: "subaccount_summary_loans",
  mode: "slowly_changing",
  grain: "subaccount, place in the list and version",
  comment:
    "Loans in subaccount summaries, one row for each loan and version. core.loans has the loan book.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "ordinal"],
  columns: [
    subaccountAddress,
    ordinal,
    field.text("loan_address", "Address of the loan; EVM in lower case, others unchanged", {
      names: ["book.address", "book.loan_address", "address", "loan_address"],
      read: address,
    }),
    field.integer("chain_id", "The platform's chain id of the loan, else of its token", {
      names: ["book.chain_id", "book.chain", "chain_id", "chain", "book.principal_token.chain"],
      read: chain,
    }),
    field.text("state", "State of the loan, such as `ACTIVE` (§3)", {
      names: ["book.state", "state"],
      read: nonEmpty,
    }),
    field.boolean("is_borrow", "Whether the subaccount is the borrower"),
    field.json("book", "The loan, as sent"),
    field.json("debt_info", "What is owed and was repaid, as sent"),
    field.json("credit_info", "What is due to the subaccount, as sent"),
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, state, is_borrow, count(*) as loans from core.subaccount_summary_loans where is_current group by all",
}
