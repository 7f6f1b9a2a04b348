// OTC margin requirements of the whole platform.
import { otcMarginRequirements as endpoint } from "../../extract/endpoints/otc/otc_margin_requirements.ts"
import {
  otcMarginRequirementRows,
  otcMarginRequirements,
} from "../../transform/tables/otc/otc_margin_requirements.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { once } from "../walks/targets.ts"

export const otcMarginRequirementsPipeline = snapshot({
  name: "otc_margin_requirements",
  title: "OTC margin requirements",
  tables: [otcMarginRequirements],
  endpoint,
  after: [],
  targets: once,
  questions: () => ask({}),
  rows: otcMarginRequirementRows,
})
