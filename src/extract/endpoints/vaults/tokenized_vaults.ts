// The list of tokenized vaults, by status.
import { endpoint } from "../../Endpoint.ts"
import { certainly, oneOf, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const tokenizedVaults = endpoint({
  name: "tokenized_vaults",
  title: "Tokenized vaults",
  section: "§4.2, §2.10",
  method: "GET",
  path: "/tokenized_vault",
  auth: "public",
  parameters: { status: optional(certainly("status", oneOf("active", "closed"))) },
  // The field names of a vault record are not shown (§2.10): nothing can be required here.
  response: AnyRecords,
})
