// The health factor of a subaccount, as last calculated.
import { endpoint } from "../../Endpoint.ts"
import { address, documentedAs } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const healthFactor = endpoint({
  name: "health_factor",
  title: "Health factor",
  section: "§4.3, §2.3",
  method: "GET",
  path: "/subaccounts/health_factor",
  auth: "key",
  parameters: { address: documentedAs("address", address("evm")) },
  response: AnyRecord,
})
