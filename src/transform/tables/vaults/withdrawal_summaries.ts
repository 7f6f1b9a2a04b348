// core.withdrawal_summaries: what was being withdrawn from each vault, and since when.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const withdrawalSummaries: Table = {
  schema: "core",
  name: "withdrawal_summaries",
  mode: "slowly_changing",
  grain: "vault and version of its totals",
  comment: "Totals of pending withdrawals; the requests are in core.withdrawal_requests.",
  source: "GET /withdrawals/{chain}/{vault_address} (§4.2, §2.10)",
  key: ["vault_address", "chain_id"],
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    {
      name: "total_withdrawals_raw",
      type: "amount",
      unit: "smallest unit of the token",
      comment: "Total withdrawal amount, every digit of it",
    },
    {
      name: "total_withdrawals",
      type: "double",
      unit: "the vault's underlying asset",
      comment: "Total withdrawal amount, normalized",
    },
    {
      name: "total_assets_raw",
      type: "amount",
      unit: "smallest unit of the token",
      comment: "Current total assets of the vault, every digit of it",
    },
    {
      name: "total_assets",
      type: "double",
      unit: "the vault's underlying asset",
      comment: "Current total assets of the vault, normalized",
    },
    {
      name: "pending_requests",
      type: "integer",
      comment: "How many requests were pending; null where no list was found",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, valid_from, total_withdrawals / nullif(total_assets, 0) as share from core.withdrawal_summaries where is_current order by share desc",
}
