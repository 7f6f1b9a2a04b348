// Timelocked changes of an EVM vault, with the time from which each can be executed.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer, oneOf, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

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
    // By default, the service returns only scheduled ones.
    status: optional(oneOf("scheduled", "executed", "cancelled", "all")),
  },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({ timelocks: AnyRecords, warnings: Schema.Array(Schema.Unknown) }),
})
