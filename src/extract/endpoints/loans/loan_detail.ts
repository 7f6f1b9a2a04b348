// One loan of the loan book.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const loanDetail = endpoint({
  name: "loan_detail",
  title: "Loan",
  section: "§4.3, §2.4",
  method: "GET",
  path: "/subaccount/loans/{loan_address}",
  auth: "admin",
  parameters: { loan_address: inPath(address()), chainId: integer() },
  serverCacheSeconds: 60,
  // "loan or chain missing for loan detail" (§7).
  absences: { 404: "empty" },
  response: AnyRecord,
})
