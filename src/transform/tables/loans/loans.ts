// core.loans: the loan book, with the history of each loan.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapLoans } from "./loanRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const loans: Table = {
  schema: "core",
  name: "loans",
  mode: "slowly_changing",
  grain: "loan and version of its record",
  comment:
    "Loans of all active client subaccounts. A loan that is no longer listed has its last version ended.",
  source: "GET /dashboard/loans (§4.4, §2.4)",
  key: ["loan_id"],
  columns: [...loanColumns, reportedAt, reportedTimes, extra],
  example:
    "select loan_id, state, principal_amount, apr, upcoming_payment_due_at from core.loans where is_current order by upcoming_payment_due_at",
}

/** One row a loan; all there are, so that those missing have ended. */
export const loanRows = (
  records: ReadonlyArray<JsonObject>,
  { origin }: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  const { rows, drift } = mapLoans(records, { table: loans, origin })
  return Result.succeed(together({ rows: { ...rows, scope: {} }, drift }))
}
