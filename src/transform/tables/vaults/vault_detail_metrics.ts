// core.vault_detail_metrics: the figures of a vault's own page that move with every reading. Kept apart so
// that core.vault_details gains a version when the description changes, not every hour.
import type { Table } from "../../../domain/table.ts"
import { reportedFigures } from "../reportedFigures.ts"
import { chainId, extra, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultDetailMetrics: Table = {
  schema: "core",
  name: "vault_detail_metrics",
  mode: "slowly_changing",
  grain: "vault and version of its figures",
  comment: "Figures that vault details report beside the description, one row per change.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    ...reportedFigures,
    {
      name: "performance",
      type: "json",
      fields: ["performance", "performance_metrics", "performanceMetrics", "metrics"],
      comment: "Performance metrics, as served",
    },
    reportedTimes,
    {
      ...extra,
      comment:
        "Every other field whose name tells a moving figure, those of integrations and the like included; null when there is none",
    },
  ],
  example:
    "select vault_address, latest_reported_tvl, performance from core.vault_detail_metrics where is_current",
}
