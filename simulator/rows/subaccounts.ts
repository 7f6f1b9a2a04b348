// Rows of §4.3: reads of subaccounts with an API key, four of them at paths that are not shown.
import { kindOf, addressKey } from "../values/addresses.ts"
import { allLoans, loansOf } from "../generate/loans.ts"
import { otcPositionsOf } from "../generate/otc.ts"
import {
  cefiPositions,
  healthRecord,
  protocolPositions,
  summaryRecord,
} from "../generate/portfolio.ts"
import type { Subaccount } from "../generate/subaccounts.ts"
import { directoryOf, listItem, mayRead } from "../generate/subaccounts.ts"
import { transactionsOf } from "../generate/transactions.ts"
import type { SimulatorOptions, Tier } from "../options.ts"
import { invalid, notFound } from "../call/errors.ts"
import type { Call, Row } from "../call/row.ts"
import { subaccountBy } from "../call/subject.ts"

const ownSubaccounts = ({ world, role }: Call): unknown =>
  [...directoryOf(world).values()].filter((sub) => mayRead(role, sub)).map(listItem)

const directory = ({ world, query }: Call): unknown => {
  const limit = query.integer("limit", { min: 1, max: 1000 }) ?? 100
  const offset = query.integer("offset", { min: 0 }) ?? 0
  return [...directoryOf(world).values()].slice(offset, offset + limit).map(listItem)
}

const fromQuery = (call: Call): Subaccount => subaccountBy(call, call.query.required("address"))

/** The subaccount of a row whose path is not shown: from the path if that has an `{address}`, else from the query. */
const fromPathOrQuery = (call: Call): Subaccount =>
  call.param("address") === "" ? fromQuery(call) : subaccountBy(call, call.param("address"), "path")

const loans = (call: Call): unknown => {
  const side = call.query.oneOf("side", ["BORROWER", "LENDER", "BOTH"] as const) ?? "BOTH"
  const active = call.query.flag("active", true)
  return loansOf(call.world, fromPathOrQuery(call))
    .filter(
      (loan) => (side === "BOTH" || loan.side === side) && (!active || loan.state === "ACTIVE"),
    )
    .map((loan) => loan.record)
}

const loanDetail = ({ world, query, param }: Call): unknown => {
  const chainId = query.requiredInteger("chainId")
  const address = param("loan_address")
  if (kindOf(address) !== "evm") throw invalid("path", "loan_address", "Invalid EVM address")
  const found = allLoans(world).find(
    (loan) => addressKey(loan.address) === addressKey(address) && loan.chainId === chainId,
  )
  if (found === undefined) throw notFound(`Loan ${address} not found on chain ${chainId}`)
  return found.record
}

const transactions = (call: Call): unknown => {
  const { query, world } = call
  const address = query.required("subaccountAddress")
  const from = query.instant("startTime") ?? -Infinity
  const to = query.instant("endTime") ?? Infinity
  return transactionsOf(world, subaccountBy(call, address), from, to)
}

const debank = (call: Call): unknown => {
  const owner = subaccountBy(call, call.param("subaccount_address"), "path")
  return protocolPositions(call.world, owner, call.clock)
}

const summary = (call: Call): unknown => {
  const owner = fromQuery(call)
  return summaryRecord(call.world, owner, otcPositionsOf(call.world, owner))
}

const get = (
  path: string,
  tier: Tier,
  documented: readonly string[],
  answer: Row["answer"],
  further: Partial<Row> = {},
): Row => ({ method: "GET", path, tier, documented, answer, ...further })

const healthFields = ["healthFactor", "totalCollateral", "totalLoan", "dateTime", "id"]
const summaryFields = [
  "healthFactor",
  "netAccountValue",
  "tokens",
  "loanbook.totalDebt",
  "portfolio",
]

export const subaccountRows = ({ paths }: SimulatorOptions): readonly Row[] => [
  get("/subaccounts", "key", [], ownSubaccounts),
  get("/subaccounts/summary", "key", ["address", "name", "type", ...summaryFields], summary),
  get("/subaccounts/health_factor", "key", healthFields, (call) =>
    healthRecord(call.world, fromQuery(call), call.clock),
  ),
  get("/subaccount", "admin", [], directory),
  get("/subaccount/{subaccount_address}/debank", "key", [], debank, {
    cacheSeconds: 300,
    slow: true,
  }),
  get("/subaccount/loans/{loan_address}", "admin", [], loanDetail, { cacheSeconds: 60 }),
  get("/transactions/v2", "key", [], transactions),
  get(paths.cefiPositions, "key", [], (call) => cefiPositions(fromPathOrQuery(call))),
  get(paths.loans, "key", [], loans),
  get(paths.otcPositions, "key", [], (call) => otcPositionsOf(call.world, fromPathOrQuery(call))),
  get(paths.verify, "key", [], ({ role }) => ({ valid: true, role })),
]
