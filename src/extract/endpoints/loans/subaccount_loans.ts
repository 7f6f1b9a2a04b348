// Loans of one subaccount, at a path the document does not show.
import { endpoint } from "../../Endpoint.ts"
import { address, boolean, inPath, oneOf } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const subaccountLoans = endpoint({
  name: "subaccount_loans",
  title: "Loans of a subaccount",
  section: "§4.3, §2.5",
  method: "GET",
  path: { setting: "subaccountLoans" },
  auth: "key",
  parameters: {
    address: inPath(address("evm")),
    side: oneOf("BORROWER", "LENDER", "BOTH"),
    active: boolean,
  },
  response: AnyRecords,
})
