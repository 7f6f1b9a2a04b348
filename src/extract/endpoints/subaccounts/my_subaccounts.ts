// The subaccounts of the API key's user.
import { endpoint } from "../../Endpoint.ts"
import { AnyRecords } from "../records.ts"

export const mySubaccounts = endpoint({
  name: "my_subaccounts",
  title: "My subaccounts",
  section: "§4.3, §2.1",
  method: "GET",
  path: "/subaccounts",
  auth: "key",
  parameters: {},
  response: AnyRecords,
})
