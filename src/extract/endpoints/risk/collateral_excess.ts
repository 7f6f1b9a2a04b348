// The excess or deficit of a subaccount's collateral in one token.
import { endpoint } from "../../Endpoint.ts"
import { address, integer, number, optional } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const collateralExcess = endpoint({
  name: "collateral_excess",
  title: "Collateral excess or deficit",
  section: "§4.4, §2.6",
  method: "GET",
  path: "/risk/collateral_excess_or_deficit",
  auth: "admin",
  parameters: {
    subaccountAddress: address("evm"),
    tokenAddress: address(),
    tokenChain: integer(),
    targetHealthFactor: optional(number({ above: 0 })),
  },
  serverCacheSeconds: 60,
  // "token has no discount factor" (§7).
  absences: { 404: "empty" },
  response: AnyRecord,
})
