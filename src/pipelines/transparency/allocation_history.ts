// Allocation history: daily points of EVM vaults (§4.1) by date windows.
import { historicalAllocations } from "../../extract/endpoints/transparency/historical_allocations.ts"
import {
  allocationHistory,
  allocationHistoryRows,
} from "../../transform/tables/transparency/allocation_history.ts"
import { datedSeries } from "../walks/datedSeries.ts"
import { evmVaultsByChain } from "../walks/targets.ts"

// The document names no limit of points; a year keeps answers small.
const WINDOW_DAYS = 365

export const allocationHistoryPipeline = datedSeries({
  name: "allocation_history",
  title: "Allocation history",
  series: "allocation",
  table: allocationHistory,
  endpoint: historicalAllocations,
  targets: evmVaultsByChain,
  windowDays: WINDOW_DAYS,
  inputs: (vault, { from, to }) => ({
    vault_address: vault.served,
    chainId: vault.chainId,
    startDate: from,
    endDate: to,
  }),
  pointsIn: ({ points }) => points.length,
  rows: ({ points }, source) => allocationHistoryRows(points, source),
})
