// The holdings, loans and positions of a subaccount.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isJsonObject } from "../../../domain/values/json.ts"
import { snakeCase } from "../../../domain/values/snakeCase.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { endpoint } from "../../Endpoint.ts"
import { address, documentedAs } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

// The document does not show the elements of the position arrays and of aggregatesByToken (§2.2).
const Anything = Schema.Array(Schema.Unknown)

/** The documented names of the fields within the two parts, which some deployments send in snake_case. */
const partNames = {
  loanbook: ["aggregatesByToken", "totalCredit", "totalDebt"],
  portfolio: [
    "cefiPositions",
    "collateralBalances",
    "defiPositions",
    "discountedValue",
    "legacyHedgerPositions",
    "marginBalances",
    "otcPositions",
    "strategyContractPositions",
    "totalValue",
    "trsPositions",
  ],
} as const

const documentedNames = (part: unknown, names: ReadonlyArray<string>): unknown => {
  if (!isJsonObject(part)) return part
  const documented = new Map(names.map((name) => [snakeCase(name), name]))
  const isHidden = (name: string): boolean => Object.hasOwn(part, documented.get(name) ?? name)
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      isHidden(name) ? name : (documented.get(name) ?? name),
      value,
    ]),
  )
}

const locate = (body: unknown): Result.Result<unknown, Violation> => {
  if (!isJsonObject(body)) return Result.fail({ path: "$", detail: "is not an object" })
  const parts = Object.entries(partNames).flatMap(([name, names]) =>
    name in body ? [[name, documentedNames(body[name], names)]] : [],
  )
  return Result.succeed({ ...body, ...Object.fromEntries(parts) })
}

export const subaccountSummary = endpoint({
  name: "subaccount_summary",
  title: "Subaccount summary",
  section: "§4.3, §2.2",
  method: "GET",
  path: "/subaccounts/summary",
  auth: "key",
  parameters: { address: documentedAs("address", address("evm")) },
  locate,
  response: Schema.Struct({
    tokens: AnyRecords,
    loanbook: Schema.Struct({ aggregatesByToken: Anything, loans: AnyRecords }),
    portfolio: Schema.Struct({
      cefiPositions: Anything,
      collateralBalances: Anything,
      defiPositions: Anything,
      legacyHedgerPositions: Anything,
      marginBalances: Anything,
      otcPositions: Anything,
      strategyContractPositions: Anything,
      tokens: AnyRecords,
      trsPositions: Anything,
    }),
  }),
})
