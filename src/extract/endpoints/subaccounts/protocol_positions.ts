// Positions of a subaccount in protocols on all chains; slow, because the service queries every chain.
import * as Schema from "effect/Schema"
import { endpoint } from "../../Endpoint.ts"
import { address, inPath } from "../../Parameter.ts"
import { AnyRecord, AnyRecords } from "../records.ts"

export const protocolPositions = endpoint({
  name: "protocol_positions",
  title: "Protocol positions",
  section: "§4.3, §2.5",
  method: "GET",
  path: "/subaccount/{subaccount_address}/debank",
  auth: "key",
  parameters: { subaccount_address: inPath(address("evm")) },
  serverCacheSeconds: 300,
  attemptSeconds: 180,
  // "arrays or objects whose field lists are not shown" (§2.5)
  response: Schema.Union([AnyRecords, AnyRecord]),
})
