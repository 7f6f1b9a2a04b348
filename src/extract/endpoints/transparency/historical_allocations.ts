// Daily allocation of an EVM vault by protocol.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, day, inPath, integer, optional } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const historicalAllocations = endpoint({
  name: "historical_allocations",
  title: "Allocation history",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/historical_allocations/{vault_address}",
  auth: "public",
  parameters: {
    vault_address: inPath(address("evm")),
    chainId: integer(),
    startDate: optional(day),
    endDate: optional(day),
  },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({ points: AnyRecords }),
})
