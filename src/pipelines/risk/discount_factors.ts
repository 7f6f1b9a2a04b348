// Discount-factor ladders of the whitelisted tokens.
import { discountFactors as endpoint } from "../../extract/endpoints/risk/discount_factors.ts"
import {
  discountFactorRows,
  discountFactors,
} from "../../transform/tables/risk/discount_factors.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { once } from "../walks/targets.ts"

export const discountFactorsPipeline = snapshot({
  name: "discount_factors",
  title: "Discount-factor ladders",
  tables: [discountFactors],
  endpoint,
  after: [],
  targets: once,
  questions: () => ask({}),
  rows: discountFactorRows,
})
