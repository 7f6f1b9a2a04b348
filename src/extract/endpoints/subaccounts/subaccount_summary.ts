// What a subaccount holds, owes and is worth.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, certainly } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

// Element shapes of the position arrays and of aggregatesByToken are not shown (§2.2).
const Anything = Schema.Array(Schema.Unknown)

export const subaccountSummary = endpoint({
  name: "subaccount_summary",
  title: "Subaccount summary",
  section: "§4.3, §2.2",
  method: "GET",
  path: "/subaccounts/summary",
  auth: "key",
  parameters: { address: certainly("address", address("evm")) },
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
