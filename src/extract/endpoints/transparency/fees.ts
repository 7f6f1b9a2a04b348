// Management and performance fee of an EVM vault.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"

export const fees = endpoint({
  name: "fees",
  title: "Fees",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/fees/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({
    management_fee_pct: Schema.Finite,
    performance_fee_pct: Schema.Finite,
  }),
})
