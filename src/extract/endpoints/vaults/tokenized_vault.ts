// One tokenized vault in detail: the record of the list with performance, integrations and rewards.
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
  // The field names of a vault record are not shown (§2.10): nothing can be required here.
  response: AnyRecord,
})
