// Loans of each subaccount, given and taken, closed ones included.
import { subaccountLoans as endpoint } from "../../extract/endpoints/loans/subaccount_loans.ts"
import {
  subaccountLoanRows,
  subaccountLoans,
} from "../../transform/tables/loans/subaccount_loans.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { subaccounts, subaccountSources } from "../walks/targets.ts"

export const subaccountLoansPipeline = snapshot({
  name: "subaccount_loans",
  title: "Loans of subaccounts",
  tables: [subaccountLoans],
  endpoint,
  after: subaccountSources,
  targets: subaccounts,
  // `active` false returns all, closed ones too (§4.3).
  questions: ({ served }) => ask({ address: served, side: "BOTH", active: false }),
  rows: subaccountLoanRows,
})
