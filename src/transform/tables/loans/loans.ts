// core.loans: the loan book, with the history of each loan.
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapLoans } from "./loanRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { restOfRecord } from "../shared.ts"

export const loans: Table = {
  schema: "core",
  name: "loans",
  mode: "slowly_changing",
  grain: "loan and version of its record",
  comment: "Loans of all active client subaccounts. A loan ends when it is no longer listed.",
  source: "GET /dashboard/loans (§4.4, §2.4)",
  key: ["loan_id"],
  columns: [...loanColumns, ...restOfRecord],
  example:
    "select loan_id, state, principal_amount, apr, upcoming_payment_due_at from core.loans where is_current order by upcoming_payment_due_at",
}

/** One row for each loan. The response is the whole loan book. */
export const loanRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> =>
  combined(mapLoans(records, { table: loans, source, mergeKey: {} }))
