// core.vault_reported_metrics: the figures in the list of vaults that change with every reading. They are separate so
// that core.vaults gets a new version when the description changes, not every hour.
import type { Table } from "../../../domain/table/table.ts"
import { reportedFigures } from "../reportedFigures.ts"
import { vaultChainId, extra, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultReportedMetrics: Table = {
  schema: "core",
  name: "vault_reported_metrics",
  mode: "slowly_changing",
  grain: "vault and version of its reported figures",
  comment: "Figures in the vault list, one row per change.",
  source: "GET /tokenized_vault (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [vaultChainId, vaultAddress, ...reportedFigures, reportedTimes, extra],
  example:
    "select vault_address, latest_reported_tvl from core.vault_reported_metrics where is_current",
}
