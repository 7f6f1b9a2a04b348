// Maps the summary of a subaccount (§2.2) to one row of account values and to rows of its tokens, positions and loans.
// The document does not show the shapes of the elements.
import type * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/values/json.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import type { Value } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type Mapped, type MappedResponse, type Source } from "../../Source.ts"
import { subaccountLoanAggregates } from "./subaccount_loan_aggregates.ts"
import { subaccountPortfolioPositions } from "./subaccount_portfolio_positions.ts"
import { subaccountSummaries } from "./subaccount_summaries.ts"
import { subaccountSummaryLoans } from "./subaccount_summary_loans.ts"
import { subaccountTokens } from "./subaccount_tokens.ts"

/** The kinds of positions, by the field of the portfolio that lists them. */
const positionKinds = {
  cefiPositions: "cefi",
  collateralBalances: "collateral",
  defiPositions: "defi",
  legacyHedgerPositions: "legacy_hedger",
  marginBalances: "margin",
  otcPositions: "otc",
  strategyContractPositions: "strategy",
  trsPositions: "trs",
} as const

export interface SummaryRecord extends JsonObject {
  readonly tokens: ReadonlyArray<JsonObject>
  readonly loanbook: JsonObject
  readonly portfolio: JsonObject
}

export const summaryRows = (
  record: SummaryRecord,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> => {
  const subaccount = { subaccount_address: source.subject.address }
  const list = (
    table: Table,
    elements: unknown,
    computed: Readonly<Record<string, Value>> = {},
  ): Mapped => {
    const records = recordsOf(elements)
    return mapRecords({
      table,
      records,
      source,
      computed: { ...subaccount, ...computed, ordinal: records.map((_, ordinal) => ordinal) },
      mergeKey: subaccount,
      isOpen: true,
    })
  }
  const { loanbook, portfolio } = record
  return combined(
    mapRecords({
      table: subaccountSummaries,
      records: [accountOf(record)],
      source,
      computed: subaccount,
      at: () => "$",
    }),
    list(subaccountTokens, record.tokens, { list: "summary" }),
    list(subaccountTokens, portfolio["tokens"], { list: "portfolio" }),
    ...Object.entries(positionKinds).map(([field, kind]) =>
      list(subaccountPortfolioPositions, portfolio[field], { kind }),
    ),
    list(subaccountSummaryLoans, loanbook["loans"]),
    list(subaccountLoanAggregates, loanbook["aggregatesByToken"]),
  )
}

/** The elements of a list; those that are not records are wrapped in one. */
const recordsOf = (elements: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(elements)
    ? elements.map((element: unknown) => (isJsonObject(element) ? element : { element }))
    : []

/** The summary without its lists. Figures of its parts get dotted names; unknown fields stay in their part. */
const accountOf = (record: SummaryRecord): JsonObject => {
  const { tokens: _held, loanbook, portfolio, ...account } = record
  const { aggregatesByToken: _byToken, loans: _loans, totalCredit, totalDebt, ...book } = loanbook
  const { tokens: _tokens, discountedValue, totalValue, ...held } = portfolio
  const positions = Object.entries(held).filter(([field]) => !Object.hasOwn(positionKinds, field))
  return {
    ...account,
    "loanbook.totalCredit": totalCredit,
    "loanbook.totalDebt": totalDebt,
    "portfolio.discountedValue": discountedValue,
    "portfolio.totalValue": totalValue,
    ...(Object.keys(book).length === 0 ? {} : { loanbook: book }),
    ...(positions.length === 0 ? {} : { portfolio: Object.fromEntries(positions) }),
  }
}
