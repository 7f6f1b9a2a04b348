// Positions of a subaccount on centralized exchanges, at a path the document does not show.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const cefiPositions = endpoint({
  name: "cefi_positions",
  title: "CeFi positions",
  section: "§4.3, §2.5",
  method: "GET",
  path: { setting: "cefiPositions" },
  auth: "key",
  parameters: { address: inPath(address("evm")) },
  response: AnyRecords,
})
