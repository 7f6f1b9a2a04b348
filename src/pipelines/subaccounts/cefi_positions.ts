// Positions on centralized exchanges of every subaccount the key may read.
import { cefiPositions as endpoint } from "../../extract/endpoints/subaccounts/cefi_positions.ts"
import { cefiPositionRows } from "../../transform/tables/subaccounts/positionRecords.ts"
import { cefiPositions } from "../../transform/tables/subaccounts/cefi_positions.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmSubaccounts, subaccountSources } from "../walks/targets.ts"

export const cefiPositionsPipeline = snapshot({
  name: "cefi_positions",
  title: "CeFi positions",
  tables: [cefiPositions],
  endpoint,
  after: [...subaccountSources],
  targets: evmSubaccounts,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ address: served }),
  rows: cefiPositionRows,
})
