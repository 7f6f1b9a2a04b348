// Cross-chain protocol positions of every subaccount the key may read: slow answers (§4.3), kept by the server for 300 s.
import { protocolPositions as endpoint } from "../../extract/endpoints/subaccounts/protocol_positions.ts"
import { protocolPositionRows } from "../../transform/tables/subaccounts/positionRecords.ts"
import { protocolPositions } from "../../transform/tables/subaccounts/protocol_positions.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmSubaccounts, subaccountSources } from "../walks/targets.ts"

export const protocolPositionsPipeline = snapshot({
  name: "protocol_positions",
  title: "Protocol positions",
  tables: [protocolPositions],
  endpoint,
  after: [...subaccountSources],
  // Each of these fans out over every chain on the server.
  atOnce: 4,
  targets: evmSubaccounts,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ subaccount_address: served }),
  rows: protocolPositionRows,
})
