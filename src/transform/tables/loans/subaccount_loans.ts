// core.subaccount_loans: the loans of each subaccount, closed ones included.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapLoans, sideOf } from "./loanRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

export const subaccountLoans: Table = {
  schema: "core",
  name: "subaccount_loans",
  mode: "slowly_changing",
  grain: "subaccount, loan and version of its record",
  comment: "Loans a subaccount gave or took, active and closed, as its own reads tell them.",
  source: "loans of a subaccount, at the configured path paths.subaccountLoans (§4.3, §2.5)",
  key: ["subaccount_address", "loan_id"],
  columns: [
    subaccountAddress,
    ...loanColumns,
    {
      name: "side",
      type: "text",
      comment:
        "`BORROWER`, `LENDER` or `BOTH`: the parties of the loan that are the subaccount; null when the record names it as neither",
    },
    {
      name: "is_borrow",
      type: "boolean",
      fields: ["is_borrow", "isBorrow"],
      comment: "Whether the subaccount borrows, where the service says so",
    },
    {
      name: "debt_info",
      type: "json",
      fields: ["debt_info", "debtInfo"],
      comment: "What is owed, as served",
    },
    {
      name: "credit_info",
      type: "json",
      fields: ["credit_info", "creditInfo"],
      comment: "What is lent, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, side, state, principal_amount from core.subaccount_loans where is_current order by 1",
}

/** One row a loan; all the subaccount has, so that those missing have ended. */
export const subaccountLoanRows = (
  records: ReadonlyArray<JsonObject>,
  { origin, subject }: Source<SubaccountRef>,
): Result.Result<MappedAnswer, Violation> => {
  const scope = { subaccount_address: subject.address }
  const { rows, drift } = mapLoans(records, {
    table: subaccountLoans,
    origin,
    asked: scope,
    computed: (record) => ({ side: sideOf(record, subject.address) }),
  })
  return Result.succeed(together({ rows: { ...rows, scope }, drift }))
}
