// The health factor of every subaccount the key may read.
import { healthFactor as endpoint } from "../../extract/endpoints/subaccounts/health_factor.ts"
import {
  healthFactorRows,
  healthFactors,
} from "../../transform/tables/subaccounts/health_factors.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { evmSubaccounts, subaccountSources } from "../walks/targets.ts"

export const healthFactorsPipeline = snapshot({
  name: "health_factors",
  title: "Health factors",
  tables: [healthFactors],
  endpoint,
  after: [...subaccountSources],
  targets: evmSubaccounts,
  questions: ({ served }) => ask<typeof endpoint.parameters>({ address: served }),
  rows: healthFactorRows,
})
