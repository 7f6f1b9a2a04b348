// core.vault_summaries: each vault's summary, and since when.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultSummaries: Table = {
  schema: "core",
  name: "vault_summaries",
  mode: "slowly_changing",
  grain: "vault and version of its summary",
  comment: "Vault summaries; the strategy allocation is in core.vault_summary_allocations.",
  source: "GET /tokenized_vault/vault_summary/{vault_address} (§4.2, §2.10)",
  key: ["vault_address"],
  columns: [
    vaultAddress,
    chainId,
    {
      name: "name",
      type: "text",
      fields: ["name", "vault_name", "vaultName"],
      comment: "Display name",
    },
    {
      name: "type",
      type: "text",
      fields: ["type", "vault_type", "vaultType", "public_type", "publicType"],
      comment: "Type of the vault",
    },
    {
      name: "return_1_day",
      type: "double",
      unit: "as served, see recent_returns",
      comment:
        "Return over one day, as served: it may be percent or a fraction, the document does not say",
    },
    {
      name: "return_7_day",
      type: "double",
      unit: "as served, see recent_returns",
      comment:
        "Return over seven days, as served: it may be percent or a fraction, the document does not say",
    },
    {
      name: "return_30_day",
      type: "double",
      unit: "as served, see recent_returns",
      comment:
        "Return over thirty days, as served: it may be percent or a fraction, the document does not say",
    },
    {
      name: "recent_returns",
      type: "json",
      comment: "The returns under the names served, which may tell their unit",
    },
    {
      name: "latest_snapshot_at",
      type: "timestamp",
      unit: "UTC",
      comment: "Instant of the latest snapshot, where it tells one",
    },
    {
      name: "latest_snapshot",
      type: "json",
      fields: ["latest_snapshot", "latestSnapshot", "snapshot"],
      comment: "Latest snapshot, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, return_30_day, valid_from from core.vault_summaries where is_current",
}
