// The details of one tokenized vault: its record in the list, with performance, integrations and rewards.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const tokenizedVault = endpoint({
  name: "tokenized_vault",
  title: "Vault details",
  section: "§4.2, §2.10",
  method: "GET",
  path: "/tokenized_vault/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()) },
  absences: { 404: "empty", 422: "unsupported" },
  // The document does not show the fields of a vault record (§2.10), so none can be required here.
  response: AnyRecord,
})
