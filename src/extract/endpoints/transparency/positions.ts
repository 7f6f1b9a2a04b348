// The hourly snapshot of an EVM vault: its net asset value and the positions of each subaccount.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath, integer } from "../../Parameter.ts"
import { AnyRecords } from "../records.ts"

export const positions = endpoint({
  name: "positions",
  title: "Positions",
  section: "§4.1, §2.9",
  method: "GET",
  path: "/platform/positions/{vault_address}",
  auth: "public",
  parameters: { vault_address: inPath(address("evm")), chainId: integer() },
  absences: { 404: "empty", 422: "unsupported" },
  response: Schema.Struct({ subaccounts: AnyRecords }),
})
