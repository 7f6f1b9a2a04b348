// core.loan_details: what the service says of a loan when asked about it alone.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapLoans } from "./loanRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const loanDetails: Table = {
  schema: "core",
  name: "loan_details",
  mode: "slowly_changing",
  grain: "loan and version of its record",
  comment:
    "Loans asked about one by one, whenever the loan book (core.loans) says something new of them.",
  source: "GET /subaccount/loans/{loan_address} (§4.3, §2.4)",
  key: ["loan_id"],
  columns: [...loanColumns, reportedAt, reportedTimes, extra],
  example:
    "select l.loan_id, l.state, d.state as state_in_detail from core.loans l join core.loan_details d using (loan_id) where l.is_current and d.is_current",
}

/** A loan as core.loans knows it. */
export interface LoanRef {
  readonly loanId: string
  readonly chainId: number
  readonly address: string
  /** The spelling the service uses; sent back to it as it is. */
  readonly served: string
}

export const loanDetailRows = (
  record: JsonObject,
  { origin, subject }: Source<LoanRef>,
): Result.Result<MappedAnswer, Violation> =>
  Result.succeed(
    together(
      mapLoans([record], {
        table: loanDetails,
        origin,
        asked: {
          loan_id: subject.loanId,
          chain_id: subject.chainId,
          loan_address: subject.address,
          loan_address_as_served: subject.served,
        },
      }),
    ),
  )
