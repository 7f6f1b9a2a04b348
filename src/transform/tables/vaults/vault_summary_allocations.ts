// core.vault_summary_allocations: where each vault's assets were by its own summary, and since when.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultSummaryAllocations: Table = {
  schema: "core",
  name: "vault_summary_allocations",
  mode: "slowly_changing",
  grain: "vault, position and version",
  comment: "Strategy allocation in a vault's summary.",
  source: "GET /tokenized_vault/vault_summary/{vault_address}, strategy allocation (§4.2, §2.10)",
  key: ["vault_address", "position"],
  columns: [
    vaultAddress,
    chainId,
    {
      name: "position",
      type: "text",
      required: true,
      comment:
        "Strategy, position or protocol; `#2` and so on where repeated, `#1` by its place where it has no name",
    },
    {
      name: "value",
      type: "double",
      unit: "as served; USD where the service says so",
      fields: ["value"],
      comment: "Value allocated",
    },
    {
      name: "share",
      type: "double",
      unit: "as served",
      fields: ["share"],
      comment: "Share of the vault's assets, where the service gives one",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, position, value, share from core.vault_summary_allocations where is_current order by vault_address, value desc",
}
