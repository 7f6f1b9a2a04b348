// The directory of all subaccounts, paged by offset.
import { endpoint } from "../../Endpoint.ts"
import { integer, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const subaccountDirectory = endpoint({
  name: "subaccount_directory",
  title: "Subaccount directory",
  section: "§4.3, §2.1",
  method: "GET",
  path: "/subaccount",
  auth: "admin",
  parameters: {
    limit: optional(integer({ min: 1, max: 1000 })),
    offset: optional(integer({ min: 0 })),
  },
  // The document does not show the fields of an item (§2.1), so none can be required here.
  response: AnyRecords,
})
