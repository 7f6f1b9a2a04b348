// Vault details (§4.2): one question a vault, whatever chains it is on.
import { tokenizedVault } from "../../extract/endpoints/vaults/tokenized_vault.ts"
import { vaultDetailMetrics } from "../../transform/tables/vaults/vault_detail_metrics.ts"
import { vaultDetails } from "../../transform/tables/vaults/vault_details.ts"
import { vaultIntegrations } from "../../transform/tables/vaults/vault_integrations.ts"
import { vaultOperators } from "../../transform/tables/vaults/vault_operators.ts"
import { vaultRewards } from "../../transform/tables/vaults/vault_rewards.ts"
import { vaultStrategies } from "../../transform/tables/vaults/vault_strategies.ts"
import { vaultDetailRows } from "../../transform/tables/vaults/vaultDetailRecords.ts"
import { ask, snapshot } from "../walks/snapshot.ts"
import { vaults } from "../walks/targets.ts"

export const vaultDetailsPipeline = snapshot({
  name: "vault_details",
  title: "Vault details",
  tables: [
    vaultDetails,
    vaultDetailMetrics,
    vaultStrategies,
    vaultOperators,
    vaultRewards,
    vaultIntegrations,
  ],
  endpoint: tokenizedVault,
  targets: vaults,
  questions: ({ served }) => ask({ vault_address: served }),
  rows: vaultDetailRows,
})
