// OTC positions of every subaccount the key may read.
import { subaccountOtcPositions as endpoint } from "../../extract/endpoints/subaccounts/subaccount_otc_positions.ts"
import { subaccountOtcPositionRows } from "../../transform/tables/subaccounts/positionRecords.ts"
import { subaccountOtcPositions } from "../../transform/tables/subaccounts/subaccount_otc_positions.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmSubaccounts, subaccountSources } from "../walks/targets.ts"

export const subaccountOtcPositionsPipeline = snapshot({
  name: "subaccount_otc_positions",
  title: "OTC positions of subaccounts",
  tables: [subaccountOtcPositions],
  endpoint,
  after: [...subaccountSources],
  targets: evmSubaccounts,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ address: served }),
  rows: subaccountOtcPositionRows,
})
