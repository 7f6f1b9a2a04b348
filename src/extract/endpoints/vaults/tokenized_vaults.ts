// The list of tokenized vaults with a status.
import { endpoint } from "../../Endpoint.ts"
import { documentedAs, oneOf, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const tokenizedVaults = endpoint({
  name: "tokenized_vaults",
  title: "Tokenized vaults",
  section: "§4.2, §2.10",
  method: "GET",
  path: "/tokenized_vault",
  auth: "public",
  parameters: { status: optional(documentedAs("status", oneOf("active", "closed"))) },
  // The document does not show the fields of a vault record (§2.10), so none can be required here.
  response: AnyRecords,
})
