// core.vault_detail_metrics: the figures in a vault's details that change with every reading. They are separate so that
// core.vault_details gets a new version when the description changes, not every hour.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { reportedFigures } from "../reportedFigures.ts"
import { vaultChainId, extra, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultDetailMetrics: Table = {
  schema: "core",
  name: "vault_detail_metrics",
  mode: "slowly_changing",
  grain: "vault and version of its figures",
  comment: "Figures in vault details, one row per change.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address"],
  columns: [
    vaultChainId,
    vaultAddress,
    ...reportedFigures,
    field.json("performance", "Performance metrics, as sent", {
      names: ["performance", "performance_metrics", "metrics"],
    }),
    reportedTimes,
    {
      ...extra,
      comment:
        "Other changing figures by name, including those of list entries: those that the setting fields names as `vault_detail_metrics.extra`; null if there are none",
    },
  ],
  example:
    "select vault_address, latest_reported_tvl, performance from core.vault_detail_metrics where is_current",
}
