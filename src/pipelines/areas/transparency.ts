// The public transparency dashboard (§4.1): the present state and the histories of each vault.
import { fees as feesEndpoint } from "../../extract/endpoints/transparency/fees.ts"
import { historicalAllocations } from "../../extract/endpoints/transparency/historical_allocations.ts"
import { oracleClassification as oracleEndpoint } from "../../extract/endpoints/transparency/oracle_classification.ts"
import { positions } from "../../extract/endpoints/transparency/positions.ts"
import { unrealizedPnlRatio } from "../../extract/endpoints/transparency/unrealized_pnl_ratio.ts"
import { responseEnvelopes } from "../../transform/tables/response_envelopes.ts"
import {
  allocationHistory,
  allocationHistoryRows,
} from "../../transform/tables/transparency/allocation_history.ts"
import { fees, feesRows } from "../../transform/tables/transparency/fees.ts"
import { observationWarnings } from "../../transform/tables/transparency/observation_warnings.ts"
import { oracleClassification } from "../../transform/tables/transparency/oracle_classification.ts"
import { oracleRows } from "../../transform/tables/transparency/oracleRecords.ts"
import {
  positionRows,
  positionSnapshots,
} from "../../transform/tables/transparency/position_snapshots.ts"
import { positionSubaccounts } from "../../transform/tables/transparency/position_subaccounts.ts"
import {
  ratioHistory,
  ratioHistoryRows,
} from "../../transform/tables/transparency/ratio_history.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { datedSeries } from "../strategies/datedSeries.ts"
import { evmVaultsByChain, vaults, vaultsByChain } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"
import { apyHistoryPipeline } from "./transparency/apy_history.ts"
import { pnlHistoryPipeline } from "./transparency/pnl_history.ts"
import { revertReasonsPipeline } from "./transparency/revert_reasons.ts"

// The service truncates responses without saying so; an explicit limit makes a full one recognizable.
const RATIO_LIMIT = 1000

export const transparency: ReadonlyArray<AnyPipeline> = [
  datedSeries({
    name: "ratio_history",
    title: "Ratio history",
    cadence: "hourly",
    series: "ratio",
    tables: [ratioHistory],
    endpoint: unrealizedPnlRatio,
    partitions: vaults,
    // 984 hourly points, so that a page of an hourly series is never full.
    windowDays: 41,
    pointLimit: RATIO_LIMIT,
    inputs: ({ wireAddress }, { from, to }) => ({
      vault: wireAddress,
      startDate: from,
      endDate: to,
      limit: RATIO_LIMIT,
    }),
    rows: ratioHistoryRows,
  }),
  pnlHistoryPipeline,
  apyHistoryPipeline,
  datedSeries({
    name: "allocation_history",
    title: "Allocation history",
    cadence: "daily",
    series: "allocation",
    tables: [allocationHistory, responseEnvelopes],
    endpoint: historicalAllocations,
    partitions: evmVaultsByChain,
    // The document names no limit of points; a year keeps responses small.
    windowDays: 365,
    inputs: ({ wireAddress, chainId }, { from, to }) => ({
      vault_address: wireAddress,
      chainId,
      startDate: from,
      endDate: to,
    }),
    rows: allocationHistoryRows,
  }),
  snapshot({
    name: "positions",
    title: "Positions",
    cadence: "hourly",
    tables: [positionSnapshots, positionSubaccounts],
    endpoint: positions,
    partitions: evmVaultsByChain,
    requests: ({ wireAddress, chainId }) => single({ vault_address: wireAddress, chainId }),
    rows: positionRows,
  }),
  snapshot({
    name: "fees",
    title: "Fees",
    cadence: "daily",
    tables: [fees],
    endpoint: feesEndpoint,
    partitions: evmVaultsByChain,
    requests: ({ wireAddress, chainId }) => single({ vault_address: wireAddress, chainId }),
    rows: feesRows,
  }),
  snapshot({
    name: "oracle_classification",
    title: "Oracle classification",
    cadence: "daily",
    tables: [oracleClassification, observationWarnings, responseEnvelopes],
    endpoint: oracleEndpoint,
    partitions: vaultsByChain,
    requests: ({ wireAddress, chainId }) => single({ vault_address: wireAddress, chainId }),
    rows: oracleRows,
  }),
  revertReasonsPipeline,
]
