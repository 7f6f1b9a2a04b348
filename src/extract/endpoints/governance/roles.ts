// Who governs an EVM vault. Where third-party custody data could not be read, rows come with less in them
// and a warning instead of an error (§4.1): those fields may be null.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"

export const roles = endpoint({
  name: "roles",
  title: "Governance roles",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/governance/{vault_address}/roles",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({
    // The type of safe_threshold is not shown (§2.9), so nothing is asked of it.
    roles: Schema.Array(
      Schema.Struct({ role: Schema.String, is_safe: Schema.NullOr(Schema.Boolean) }),
    ),
    warnings: Schema.Array(Schema.Unknown),
  }),
})
