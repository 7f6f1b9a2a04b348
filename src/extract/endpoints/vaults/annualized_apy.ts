// Annualized APY, which the service supports for few vaults.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecord } from "../records.ts"

export const annualizedApy = endpoint({
  name: "annualized_apy",
  title: "Annualized APY",
  section: "§4.2, §2.10, §9.2",
  method: "GET",
  path: "/tokenized_vault/annualized_apy/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address()) },
  // §7: 400 for an unsupported vault. 424 and 500 are temporary failures.
  absences: { 400: "unsupported", 404: "empty", 422: "unsupported" },
  response: AnyRecord,
})
