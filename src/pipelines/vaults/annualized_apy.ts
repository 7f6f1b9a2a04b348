// Annualized APY (§4.2): asked of every vault, answered for a fixed set of four, which the others' refusals tell.
import { annualizedApy as endpoint } from "../../extract/endpoints/vaults/annualized_apy.ts"
import { annualizedApy, annualizedApyRows } from "../../transform/tables/vaults/annualized_apy.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaults } from "../walks/targets.ts"

export const annualizedApyPipeline = snapshot({
  name: "annualized_apy",
  title: "Annualized APY",
  tables: [annualizedApy],
  endpoint,
  targets: vaults,
  questions: ({ served }) => ask({ vault_address: served }),
  rows: annualizedApyRows,
})
