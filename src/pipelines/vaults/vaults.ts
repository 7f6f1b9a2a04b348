// The list of vaults, one question a status (§4.2): lands in core.vaults, which tells the other pipelines
// whom to ask about.
import { tokenizedVaults } from "../../extract/endpoints/vaults/tokenized_vaults.ts"
import { vaultReportedMetrics } from "../../transform/tables/vaults/vault_reported_metrics.ts"
import { vaults } from "../../transform/tables/vaults/vaults.ts"
import { vaultRows } from "../../transform/vaultRecords.ts"
import { snapshot } from "../snapshot.ts"
import { once } from "../targets.ts"

export const vaultsPipeline = snapshot({
  name: "vaults",
  title: "Vaults",
  tables: [vaults, vaultReportedMetrics],
  endpoint: tokenizedVaults,
  after: [],
  targets: once,
  questions: () =>
    (["active", "closed"] as const).map((status) => ({ window: status, inputs: { status } })),
  rows: vaultRows,
})
