// The summary of every subaccount the key may read.
import { subaccountSummary as endpoint } from "../../extract/endpoints/subaccounts/subaccount_summary.ts"
import { summaryRows } from "../../transform/tables/subaccounts/summaryRecords.ts"
import { subaccountLoanAggregates } from "../../transform/tables/subaccounts/subaccount_loan_aggregates.ts"
import { subaccountPortfolioPositions } from "../../transform/tables/subaccounts/subaccount_portfolio_positions.ts"
import { subaccountSummaries } from "../../transform/tables/subaccounts/subaccount_summaries.ts"
import { subaccountSummaryLoans } from "../../transform/tables/subaccounts/subaccount_summary_loans.ts"
import { subaccountTokens } from "../../transform/tables/subaccounts/subaccount_tokens.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmSubaccounts, subaccountSources } from "../walks/targets.ts"

export const subaccountSummariesPipeline = snapshot({
  name: "subaccount_summaries",
  title: "Subaccount summaries",
  tables: [
    subaccountSummaries,
    subaccountTokens,
    subaccountPortfolioPositions,
    subaccountSummaryLoans,
    subaccountLoanAggregates,
  ],
  endpoint,
  after: [...subaccountSources],
  targets: evmSubaccounts,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ address: served }),
  rows: summaryRows,
})
