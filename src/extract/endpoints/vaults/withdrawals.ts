// Withdrawals from a vault: totals and the queue of pending requests.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const withdrawals = endpoint({
  name: "withdrawals",
  title: "Withdrawals",
  section: "§4.2, §2.10",
  method: "GET",
  path: "/withdrawals/{chain}/{vault_address}",
  auth: "public",
  parameters: { chain: inPath(integer()), vault_address: inPath(address()) },
  absences: { 404: "empty", 422: "unsupported" },
  // The document does not show the field names (§2.10), so none can be required here.
  response: AnyRecord,
})
