// The subaccounts linked to a vault; only its curator and admins may read them.
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const vaultSubaccounts = endpoint({
  name: "vault_subaccounts",
  title: "Subaccounts of a vault",
  section: "§4.4, §2.1",
  method: "GET",
  path: "/curator/vaults/{vault_address}/subaccounts",
  auth: "curator",
  parameters: { vault_address: inPath(address()) },
  response: AnyRecords,
})
