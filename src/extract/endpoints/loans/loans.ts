// The loan book of all active client subaccounts.
import { endpoint } from "../../Endpoint.ts"
import { AnyRecords } from "../records.ts"

export const loans = endpoint({
  name: "loans",
  title: "Loan book",
  section: "§4.4, §2.4",
  method: "GET",
  path: "/dashboard/loans",
  auth: "admin",
  parameters: {},
  serverCacheSeconds: 60,
  response: AnyRecords,
})
