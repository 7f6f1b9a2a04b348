// A vault's latest snapshot, its returns over 1, 7 and 30 days, and its strategy allocation.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const vaultSummary = endpoint({
  name: "vault_summary",
  title: "Vault summary",
  section: "§4.2, §2.10",
  method: "GET",
  path: "/tokenized_vault/vault_summary/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()) },
  absences: { 404: "empty", 422: "unsupported" },
  // The document does not show the field names (§2.10), so none can be required here.
  response: AnyRecord,
})
