// Ratio history: hourly points by date windows.
import { unrealizedPnlRatio } from "../../extract/endpoints/transparency/unrealized_pnl_ratio.ts"
import {
  ratioHistory,
  ratioHistoryRows,
} from "../../transform/tables/transparency/ratio_history.ts"
import { datedSeries } from "../walks/datedSeries.ts"
import { vaults } from "../walks/targets.ts"

// The server cuts an answer off without a word; the explicit limit makes a full page tell.
const LIMIT = 1000
// 984 hourly points, so that a page of an hourly series is never full.
const WINDOW_DAYS = 41

export const ratioHistoryPipeline = datedSeries({
  name: "ratio_history",
  title: "Ratio history",
  series: "ratio",
  table: ratioHistory,
  endpoint: unrealizedPnlRatio,
  targets: vaults,
  windowDays: WINDOW_DAYS,
  pointLimit: LIMIT,
  inputs: (vault, { from, to }) => ({
    vault: vault.served,
    startDate: from,
    endDate: to,
    limit: LIMIT,
  }),
  pointsIn: (points) => points.length,
  rows: ratioHistoryRows,
})
