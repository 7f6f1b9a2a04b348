// core.vault_reported_metrics: the figures inside a vault record that move with every reading. Kept apart
// so that core.vaults gains a version when the description changes, not every hour.
import type { Table } from "../../../domain/table.ts"
import { reportedFigures } from "../reportedFigures.ts"
import { chainId, extra, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultReportedMetrics: Table = {
  schema: "core",
  name: "vault_reported_metrics",
  mode: "slowly_changing",
  grain: "vault and version of its reported figures",
  comment: "Figures the vault list reports beside the description, one row per change.",
  source: "GET /tokenized_vault (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [{ ...chainId, required: true }, vaultAddress, ...reportedFigures, reportedTimes, extra],
  example:
    "select vault_address, latest_reported_tvl from core.vault_reported_metrics where is_current",
}
