// The holdings, loans and positions of a subaccount.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, documentedAs } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

// The document does not show the elements of the position arrays and of aggregatesByToken (§2.2).
const Anything = Schema.Array(Schema.Unknown)

export const subaccountSummary = endpoint({
  name: "subaccount_summary",
  title: "Subaccount summary",
  section: "§4.3, §2.2",
  method: "GET",
  path: "/subaccounts/summary",
  auth: "key",
  parameters: { address: documentedAs("address", address("evm")) },
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
