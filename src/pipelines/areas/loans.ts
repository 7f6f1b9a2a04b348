// Loans: the book, the details of each loan whose entry changed, and the loans of each subaccount.
import * as Effect from "effect/Effect"
import { sendable } from "../../domain/values/address.ts"
import { loanDetail } from "../../extract/endpoints/loans/loan_detail.ts"
import { loans as loansEndpoint } from "../../extract/endpoints/loans/loans.ts"
import { subaccountLoans as subaccountLoansEndpoint } from "../../extract/endpoints/loans/subaccount_loans.ts"
import { boolean, decodeRow, number, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import {
  loanDetailRows,
  loanDetails,
  type LoanRef,
} from "../../transform/tables/loans/loan_details.ts"
import { loanRows, loans as loansTable } from "../../transform/tables/loans/loans.ts"
import {
  subaccountLoanRows,
  subaccountLoans,
} from "../../transform/tables/loans/subaccount_loans.ts"
import type { AnyPipeline, Lookup, Partition } from "../model/Pipeline.ts"
import {
  evmSubaccounts,
  once,
  subaccounts,
  subaccountSources,
  unsupportedAddress,
} from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"

const changedLoan = decodeRow({
  loanId: text("loan_id"),
  chainId: number("chain_id"),
  address: text("loan_address"),
  wireAddress: text("wire_address"),
  borrower: optional(text)("borrower_address"),
  lender: optional(text)("lender_address"),
  isKnown: boolean("is_known"),
})

/** A loan whose record names no chain can't be requested. */
const changedLoans = Effect.fnUntraced(function* (lookup: Lookup) {
  const found = (yield* lookup.rows(
    sqlFile("partitions", "changed_loans"),
    [],
    ["core.loans"],
  )).map(changedLoan)
  const parties = lookup.isSelection
    ? new Set((yield* subaccounts(lookup)).map(({ entity }) => entity))
    : undefined
  const isParty = (address: string | undefined): boolean =>
    address !== undefined && parties?.has(address) === true
  return found
    .filter(({ isKnown, loanId }) => lookup.context.full || !isKnown || lookup.isUnread(loanId))
    .filter(({ borrower, lender }) => parties === undefined || isParty(borrower) || isParty(lender))
    .map(({ loanId, chainId, address, ...loan }): Partition<LoanRef> => {
      const wireAddress = sendable(loan.wireAddress)
      return {
        entity: loanId,
        subject: { loanId, address, wireAddress, chainId },
        ...unsupportedAddress("loan", wireAddress, "core.loans"),
      }
    })
})

export const loans: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "loans",
    title: "Loan book",
    cadence: "hourly",
    tables: [loansTable],
    endpoint: loansEndpoint,
    after: [],
    partitions: once,
    requests: () => single({}),
    rows: loanRows,
  }),
  snapshot({
    name: "loan_details",
    title: "Loans",
    cadence: "hourly",
    tables: [loanDetails],
    endpoint: loanDetail,
    after: ["loans", ...subaccountSources],
    partitions: changedLoans,
    requests: ({ wireAddress, chainId }) => single({ loan_address: wireAddress, chainId }),
    rows: loanDetailRows,
  }),
  snapshot({
    name: "subaccount_loans",
    title: "Loans of subaccounts",
    cadence: "hourly",
    tables: [subaccountLoans],
    endpoint: subaccountLoansEndpoint,
    after: subaccountSources,
    partitions: evmSubaccounts,
    // `active` false returns all, closed ones too (§4.3).
    requests: ({ wireAddress }) => single({ address: wireAddress, side: "BOTH", active: false }),
    rows: subaccountLoanRows,
  }),
]
