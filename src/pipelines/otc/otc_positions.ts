// OTC positions of the whole platform.
import { otcPositions as endpoint } from "../../extract/endpoints/otc/otc_positions.ts"
import { otcPositionRows, otcPositions } from "../../transform/tables/otc/otc_positions.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { once } from "../walks/targets.ts"

export const otcPositionsPipeline = snapshot({
  name: "otc_positions",
  title: "OTC positions",
  tables: [otcPositions],
  endpoint,
  after: [],
  targets: once,
  questions: () => ask({}),
  rows: otcPositionRows,
})
