// The summary of a subaccount (§2.2): one row of account values, and rows of its tokens, positions and loans.
// Shapes of the elements are not shown: what can be read gets columns, everything else goes to `extra`.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table, Value } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import type { Mapped } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { subaccountLoanAggregates } from "./subaccount_loan_aggregates.ts"
import { subaccountPortfolioPositions } from "./subaccount_portfolio_positions.ts"
import { subaccountSummaries } from "./subaccount_summaries.ts"
import { subaccountSummaryLoans } from "./subaccount_summary_loans.ts"
import { subaccountTokens } from "./subaccount_tokens.ts"
import {
  address,
  chain,
  mapTaken,
  type Readings,
  served,
  within,
} from "../../fields/takenFields.ts"

/** The position arrays of the portfolio, and what their positions are called. */
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

const chainReading = chain("chain_id", "chain")

/** Where the address of a token or of a position's token stands. */
const tokenReadings: Readings = {
  token_address: address("address", "token_address"),
  chain_id: chainReading,
}

const loanReadings: Readings = {
  loan_address: [
    within(["book"], address("address", "loan_address")),
    address("address", "loan_address"),
  ],
  chain_id: [within(["book"], chainReading), chainReading],
  state: [within(["book"], served("state")), served("state")],
}

export interface SummaryRecord extends JsonObject {
  readonly tokens: ReadonlyArray<JsonObject>
  readonly loanbook: JsonObject
  readonly portfolio: JsonObject
}

/** Never fails: what the document promises has been checked, nothing else is needed. */
export const summaryRows = (
  record: SummaryRecord,
  { origin, subject }: Source<SubaccountRef>,
): Result.Result<MappedAnswer, Violation> => {
  const subaccount = { subaccount_address: subject.address }
  const list = (
    table: Table,
    elements: unknown,
    readings: Readings,
    computed: Readonly<Record<string, Value>> = {},
  ): Mapped => {
    const records = recordsOf(elements)
    const mapped = mapTaken({
      table,
      records,
      readings,
      origin,
      computed: { ...subaccount, ...computed, ordinal: records.map((_, ordinal) => ordinal) },
    })
    // What the lists no longer hold has ended.
    return { ...mapped, rows: { ...mapped.rows, scope: subaccount } }
  }
  const { loanbook, portfolio } = record
  const summary = mapTaken({
    table: subaccountSummaries,
    records: [accountOf(record)],
    readings: {},
    origin,
    computed: subaccount,
  })
  return Result.succeed(
    together(
      summary,
      list(subaccountTokens, record.tokens, tokenReadings, { list: "summary" }),
      list(subaccountTokens, portfolio["tokens"], tokenReadings, { list: "portfolio" }),
      ...Object.entries(positionKinds).map(([field, kind]) =>
        list(subaccountPortfolioPositions, portfolio[field], tokenReadings, { kind }),
      ),
      list(subaccountSummaryLoans, loanbook["loans"], loanReadings),
      list(subaccountLoanAggregates, loanbook["aggregatesByToken"], tokenReadings),
    ),
  )
}

/** An element that is no record is kept as the only field of one. */
const recordsOf = (elements: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(elements)
    ? elements.map((element: unknown) => (isJsonObject(element) ? element : { element }))
    : []

/** The summary without its lists; figures of its parts under dotted names, unknown fields in their part. */
const accountOf = (record: SummaryRecord): JsonObject => {
  const { tokens: _held, loanbook, portfolio, ...account } = record
  const { aggregatesByToken: _byToken, loans: _loans, totalCredit, totalDebt, ...book } = loanbook
  const { tokens: _tokens, discountedValue, totalValue, ...held } = portfolio
  const positions = Object.entries(held).filter(([field]) => !(field in positionKinds))
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
