// Whether the subaccounts linked to an EVM vault are whitelisted on chain; only its curator and admins may read it.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const whitelistStatus = endpoint({
  name: "whitelist_status",
  title: "Whitelist of a vault",
  section: "§4.4, §2.7",
  method: "GET",
  path: "/curator/vaults/{vault_address}/whitelist",
  auth: "curator",
  parameters: { vault_address: inPath(address("evm")) },
  absences: { 400: "unsupported" },
  response: AnyRecords,
})
