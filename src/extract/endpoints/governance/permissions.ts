// Which functions of which integrations an EVM vault may call.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const permissions = endpoint({
  name: "permissions",
  title: "Governance permissions",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/governance/{vault_address}/permissions",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({ permissions: AnyRecords }),
})
