// The hourly position snapshot of an EVM vault: net asset value and what each subaccount holds.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"

const TextOrNumber = Schema.Union([Schema.String, Schema.Finite])

export const positions = endpoint({
  name: "positions",
  title: "Positions",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/positions/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({
    snapshot_at: TextOrNumber,
    total_nav: Schema.Finite,
    // §2.9 gives no type for it.
    reported_tvl: Schema.NullOr(TextOrNumber),
    subaccounts: Schema.Array(Schema.Struct({ total_usd: Schema.Finite })),
  }),
})
