// core.withdrawal_summaries: totals of pending withdrawals of each vault, with their history.
import { amount, double, integer } from "../../../domain/column.ts"
import type { Table } from "../../../domain/table.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../shared.ts"

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
    vaultChainId,
    amount("total_withdrawals_raw", "Total withdrawal amount, every digit", {
      unit: "smallest unit of the token",
    }),
    double("total_withdrawals", "Total withdrawal amount, normalized", {
      unit: "the vault's underlying asset",
    }),
    amount("total_assets_raw", "Current total assets of the vault, every digit", {
      unit: "smallest unit of the token",
    }),
    double("total_assets", "Current total assets of the vault, normalized", {
      unit: "the vault's underlying asset",
    }),
    integer("pending_requests", "Number of pending requests; null if the response has no list"),
    ...restOfRecord,
  ],
  example:
    "select vault_address, valid_from, total_withdrawals / nullif(total_assets, 0) as share from core.withdrawal_summaries where is_current order by share desc",
}
