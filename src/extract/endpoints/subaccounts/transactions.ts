// Transactions of a subaccount between two instants, newest first.
import { endpoint } from "../../Endpoint.ts"
import { address, instant, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const transactions = endpoint({
  name: "transactions",
  title: "Transactions of a subaccount",
  section: "§4.3, §2.5",
  method: "GET",
  path: "/transactions/v2",
  auth: "key",
  // The document does not name the parameter for the "subaccount address". Both ends of the period are inclusive.
  parameters: {
    subaccountAddress: address("evm"),
    startTime: optional(instant),
    endTime: optional(instant),
  },
  response: AnyRecords,
})
