// core.loan_details: the detailed record of each loan.
import type * as Result from "effect/Result"
import type { Reference } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapLoans } from "./loanRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { loanColumns } from "../loanColumns.ts"
import { restOfRecord } from "../shared.ts"

const requestedLoan: Reference = {
  name: "loan_known",
  columns: ["loan_id"],
  to: [{ table: "core.loans", columns: ["loan_id"] }],
}

export const loanDetails: Table = {
  schema: "core",
  name: "loan_details",
  mode: "slowly_changing",
  grain: "loan and version of its record",
  comment:
    "Loans in detail, each read again whenever its record in the loan book (core.loans) changes.",
  source: "GET /subaccount/loans/{loan_address} (§4.3, §2.4)",
  key: ["loan_id"],
  // Only loans of the book are requested.
  columns: [
    ...loanColumns.map((column) =>
      column.name === "loan_id" ? { ...column, references: requestedLoan } : column,
    ),
    ...restOfRecord,
  ],
  example:
    "select l.loan_id, l.state, d.state as state_in_detail from core.loans l join core.loan_details d using (loan_id) where l.is_current and d.is_current",
}

/** A loan of core.loans. */
export interface LoanRef {
  readonly loanId: string
  readonly chainId: number
  readonly address: string
  /** The address as the service spells it, for requests. */
  readonly wireAddress: string
}

export const loanDetailRows = (
  record: JsonObject,
  source: Source<LoanRef>,
): Result.Result<MappedResponse, Violation> => {
  const { loanId, chainId, address, wireAddress } = source.subject
  return combined(
    mapLoans([record], {
      table: loanDetails,
      source,
      computed: {
        loan_id: loanId,
        chain_id: chainId,
        loan_address: address,
        loan_address_wire: wireAddress,
      },
      at: () => "$",
    }),
  )
}
