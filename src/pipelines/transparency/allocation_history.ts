// Allocation history: daily points of EVM vaults (§4.1) by date windows.
import * as Effect from "effect/Effect"
import { ApiClient } from "../../extract/ApiClient.ts"
import { historicalAllocations } from "../../extract/endpoints/transparency/historical_allocations.ts"
import {
  allocationHistory,
  allocationHistoryRows,
} from "../../transform/tables/transparency/allocation_history.ts"
import { datedSeries } from "../datedSeries.ts"

// The document names no limit of points; a year keeps answers small.
const WINDOW_DAYS = 365

export const allocationHistoryPipeline = datedSeries({
  name: "allocation_history",
  title: "Allocation history",
  table: allocationHistory,
  endpoint: historicalAllocations,
  includes: ({ kind }) => kind === "evm",
  perChain: true,
  windowDays: WINDOW_DAYS,
  ask: (vault, { from, to }) =>
    Effect.flatMap(ApiClient, (client) =>
      client.call(historicalAllocations, {
        vault_address: vault.served,
        chainId: vault.chainId,
        startDate: from,
        endDate: to,
      }),
    ),
  pointsIn: ({ points }) => points.length,
  rows: ({ points }, context) => allocationHistoryRows(points, context),
})
