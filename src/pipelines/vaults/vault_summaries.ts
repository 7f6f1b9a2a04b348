// Vault summaries (§4.2): one question a vault.
import { vaultSummary } from "../../extract/endpoints/vaults/vault_summary.ts"
import { vaultSummaries } from "../../transform/tables/vaults/vault_summaries.ts"
import { vaultSummaryAllocations } from "../../transform/tables/vaults/vault_summary_allocations.ts"
import { vaultSummaryRows } from "../../transform/tables/vaults/vaultSummaryRecords.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaults } from "../walks/targets.ts"

export const vaultSummariesPipeline = snapshot({
  name: "vault_summaries",
  title: "Vault summaries",
  tables: [vaultSummaries, vaultSummaryAllocations],
  endpoint: vaultSummary,
  targets: vaults,
  questions: ({ served }) => ask({ vault_address: served }),
  rows: vaultSummaryRows,
})
