// core.subaccount_summaries: value and debt of each subaccount, with history.
import { type Column, documented, type Range } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

/** Names within the parts are as documented (extract's `locate`); the others may be in snake_case. */
const figure = (name: string, comment: string, wireName: string, plausible?: Range) =>
  documented.double(name, comment, {
    names: wireName.includes(".") ? [wireName] : [wireName, name],
    unit: "USD",
    ...(plausible === undefined ? {} : { plausible }),
  })

const notNegative: Range = { from: 0 }

/** The subaccount of the request; `address`, which repeats it, stays in `extra`, where it is in every stored row. */
const requestedAddress: Column = {
  ...subaccountAddress,
  fields: ["address"],
  read: () => undefined,
}

export const subaccountSummaries: Table = {
  schema: "core",
  name: "subaccount_summaries",
  mode: "slowly_changing",
  grain: "subaccount and version",
  comment:
    "Summaries of subaccounts: account values, loan book and portfolio totals. Tokens, positions and loans are in core.subaccount_tokens, core.subaccount_portfolio_positions, core.subaccount_summary_loans and core.subaccount_loan_aggregates.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address"],
  columns: [
    requestedAddress,
    documented.text("name", "Name of the subaccount"),
    documented.text("type", "`eoa` or `subaccount`", { accepted: ["eoa", "subaccount"] }),
    documented.json("chains", "Chains it is on, as sent"),
    documented.double("health_factor", "Health factor, see core.health_factors", {
      names: ["healthFactor", "health_factor"],
      range: { from: 0 },
      unit: "ratio",
    }),
    figure("net_account_value", "Net account value", "netAccountValue"),
    figure("total_account_value", "Total account value", "totalAccountValue"),
    figure(
      "total_collateral_value",
      "Total value of the collateral",
      "totalCollateralValue",
      notNegative,
    ),
    figure("total_equity_value", "Total equity", "totalEquityValue"),
    figure("total_loan_value", "Total value of the loans", "totalLoanValue", notNegative),
    figure("total_credit", "Total credit of the loan book", "loanbook.totalCredit"),
    figure("total_debt", "Total debt of the loan book", "loanbook.totalDebt", notNegative),
    figure(
      "portfolio_discounted_value",
      "Value of the portfolio after discount factors",
      "portfolio.discountedValue",
    ),
    figure("portfolio_total_value", "Value of the portfolio", "portfolio.totalValue"),
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, net_account_value, total_debt, health_factor from core.subaccount_summaries where is_current",
}
