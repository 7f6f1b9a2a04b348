// The governance roles of an EVM vault. If the service can't read third-party custody data, it sends a warning and
// fewer fields instead of an error (§4.1), so those fields may be null.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const roles = endpoint({
  name: "roles",
  title: "Governance roles",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/governance/{vault_address}/roles",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({ roles: AnyRecords, warnings: Schema.Array(Schema.Unknown) }),
})
