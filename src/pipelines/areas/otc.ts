// OTC positions and margin requirements of the whole platform.
import { otcMarginRequirements as marginEndpoint } from "../../extract/endpoints/otc/otc_margin_requirements.ts"
import { otcPositions as positionsEndpoint } from "../../extract/endpoints/otc/otc_positions.ts"
import {
  otcMarginRequirementRows,
  otcMarginRequirements,
} from "../../transform/tables/otc/otc_margin_requirements.ts"
import { otcPositionRows, otcPositions } from "../../transform/tables/otc/otc_positions.ts"
import type { AnyPipeline } from "../model/Pipeline.ts"
import { once } from "../strategies/partitions.ts"
import { single, snapshot } from "../strategies/snapshot.ts"

export const otc: ReadonlyArray<AnyPipeline> = [
  snapshot({
    name: "otc_positions",
    title: "OTC positions",
    cadence: "hourly",
    tables: [otcPositions],
    endpoint: positionsEndpoint,
    after: [],
    partitions: once,
    requests: () => single({}),
    rows: otcPositionRows,
  }),
  snapshot({
    name: "otc_margin_requirements",
    title: "OTC margin requirements",
    cadence: "hourly",
    tables: [otcMarginRequirements],
    endpoint: marginEndpoint,
    after: [],
    partitions: once,
    requests: () => single({}),
    rows: otcMarginRequirementRows,
  }),
]
