// OTC positions of a subaccount, at a path the document does not show.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const subaccountOtcPositions = endpoint({
  name: "subaccount_otc_positions",
  title: "OTC positions of a subaccount",
  section: "§4.3, §2.5",
  method: "GET",
  path: { setting: "subaccountOtcPositions" },
  auth: "key",
  parameters: { address: inPath(address("evm")) },
  response: AnyRecords,
})
