// Raw timelock requests of an EVM vault, as scheduled. The document shows neither their fields (§2.9) nor who may read
// them (§5.8).
import { endpoint } from "../../Endpoint.ts"
import { address, integer, oneOf, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const timelockRequests = endpoint({
  name: "timelock_requests",
  title: "Timelock requests",
  section: "§4.4, §5.8, §2.9, §3",
  method: "GET",
  path: "/timelock-requests",
  auth: "undocumented",
  parameters: {
    vaultAddress: address("evm"),
    // Positive (§7, rule 2).
    chainId: integer({ min: 1 }),
    // By default, the service returns only scheduled ones.
    status: optional(oneOf("scheduled", "executed", "cancelled", "all")),
  },
  response: AnyRecords,
})
