// Loans one by one: those of which the loan book has said something new since they were last asked about,
// and those it has just left out. A loan whose record names no chain can't be asked for.
import * as Effect from "effect/Effect"
import { sendable } from "../../domain/address.ts"
import { loanDetail } from "../../extract/endpoints/loans/loan_detail.ts"
import {
  loanDetailRows,
  loanDetails,
  type LoanRef,
} from "../../transform/tables/loans/loan_details.ts"
import type { Lookup, Pipeline } from "../Pipeline.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { subaccounts, subaccountSources, unaskable } from "../walks/targets.ts"

// A task that ended after the change has been asked after it: the loan book comes first in a run.
const changedLoans = `
  with newest as (
    select * from core.loans
    where chain_id is not null and loan_address is not null
    qualify row_number() over (partition by loan_id order by valid_from desc) = 1
  ),
  asked as (
    select entity, max(finished_at) as asked_at from ops.tasks
    where pipeline = 'loan_details' and outcome in ('loaded', 'unchanged', 'empty')
    group by entity
  )
  select loan_id, chain_id, loan_address, loan_address_as_served, borrower_address, lender_address,
    asked_at is not null and asked_at >= coalesce(valid_to, valid_from) as is_known
  from newest left join asked on entity = loan_id
  order by loan_id`

const targets: Pipeline<LoanRef>["targets"] = (lookup: Lookup) =>
  Effect.gen(function* () {
    const found = yield* lookup.rows(changedLoans)
    // Of the vaults asked for, the loans of their subaccounts.
    const parties = lookup.isSelection
      ? new Set((yield* subaccounts(lookup)).map(({ entity }) => entity))
      : undefined
    return found
      .filter((row) => lookup.context.full || row["is_known"] !== true)
      .filter(
        (row) =>
          parties === undefined ||
          parties.has(String(row["borrower_address"])) ||
          parties.has(String(row["lender_address"])),
      )
      .map((row) => {
        const loanId = String(row["loan_id"])
        const address = String(row["loan_address"])
        const served = sendable(String(row["loan_address_as_served"]))
        return {
          entity: loanId,
          subject: { loanId, address, served, chainId: Number(row["chain_id"]) },
          ...unaskable("loan", served, "core.loans"),
        }
      })
  })

export const loanDetailsPipeline = snapshot({
  name: "loan_details",
  title: "Loans",
  tables: [loanDetails],
  endpoint: loanDetail,
  after: ["loans", ...subaccountSources],
  targets,
  questions: ({ served, chainId }) => ask({ loan_address: served, chainId }),
  rows: loanDetailRows,
})
