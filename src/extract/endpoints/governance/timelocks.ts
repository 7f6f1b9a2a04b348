// Timelocked changes of an EVM vault, with the time from which each can be executed.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer, oneOf, optional } from "../../Parameter.ts"

export const timelocks = endpoint({
  name: "timelocks",
  title: "Timelocks",
  section: "§4.1, §2.9, §3",
  method: "GET",
  path: "/platform/governance/{vault_address}/timelocks",
  auth: "public",
  parameters: {
    vault_address: inPath(address("evm")),
    chainId: integer(),
    // Without it the service answers with the scheduled ones alone.
    status: optional(oneOf("scheduled", "executed", "cancelled", "all")),
  },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({
    // Named without a type: labels may be anything, and null.
    timelocks: Schema.Array(
      Schema.Struct({ executable_at: Schema.NullOr(Schema.String), labels: Schema.Unknown }),
    ),
    warnings: Schema.Array(Schema.Unknown),
  }),
})
