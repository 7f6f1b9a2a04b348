// core.subaccount_loans: the loans of each subaccount, including closed ones.
import { field, text } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapLoans } from "./loanRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const subaccountLoans: Table = {
  schema: "core",
  name: "subaccount_loans",
  mode: "slowly_changing",
  grain: "subaccount, loan and version of its record",
  comment: "Loans that a subaccount gave or took, active and closed.",
  source: "loans of a subaccount, at the configured path paths.subaccountLoans (§4.3, §2.5)",
  key: ["subaccount_address", "loan_id"],
  columns: [
    subaccountAddress,
    ...loanColumns,
    text(
      "side",
      "The subaccount's side of the loan, `BORROWER`, `LENDER` or `BOTH`; null if the record names it as neither",
    ),
    field.boolean("is_borrow", "Whether the subaccount borrows, if the service states it"),
    field.json("debt_info", "What is owed, as sent"),
    field.json("credit_info", "What is lent, as sent"),
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, side, state, principal_amount from core.subaccount_loans where is_current order by 1",
}

/** One row for each loan. The response is the whole set of the subaccount. */
export const subaccountLoanRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> => {
  const subaccount = source.subject.address
  const mergeKey = { subaccount_address: subaccount }
  return combined(
    mapLoans(records, { table: subaccountLoans, source, computed: mergeKey, mergeKey, subaccount }),
  )
}
