// core.withdrawal_summaries: totals of pending withdrawals of each vault, with their history.
import { field, integer } from "../../../../domain/table/column.ts"
import type { Table } from "../../../../domain/table/table.ts"
import { type AmountColumns, amountNames } from "../../../fields/amounts.ts"
import { restOfRecord, vaultAddress, vaultChainId } from "../../shared.ts"

// "Total withdrawal amounts (raw and normalized), current total assets" (§2.10).
const withdrawn = ["total_withdrawals", "total_withdrawal_amount", "total_withdrawal_amounts"]
const assets = ["total_assets", "current_total_assets"]

export const summaryAmounts: ReadonlyArray<AmountColumns> = [
  { raw: "total_withdrawals_raw", normalized: "total_withdrawals", stems: withdrawn },
  { raw: "total_assets_raw", normalized: "total_assets", stems: assets },
]

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
    field.amount("total_withdrawals_raw", "Total withdrawal amount, every digit", {
      names: amountNames(...withdrawn).raw,
      otherUnit: "total_withdrawals",
      unit: "smallest unit of the token",
    }),
    field.double("total_withdrawals", "Total withdrawal amount, normalized", {
      range: { from: 0 },
      names: amountNames(...withdrawn).normalized,
      otherUnit: "total_withdrawals_raw",
      unit: "the vault's underlying asset",
    }),
    field.amount("total_assets_raw", "Current total assets of the vault, every digit", {
      names: amountNames(...assets).raw,
      otherUnit: "total_assets",
      unit: "smallest unit of the token",
    }),
    field.double("total_assets", "Current total assets of the vault, normalized", {
      range: { from: 0 },
      names: amountNames(...assets).normalized,
      otherUnit: "total_assets_raw",
      unit: "the vault's underlying asset",
    }),
    integer("pending_requests", "Number of pending requests; null if the response has no list", {
      range: { from: 0 },
    }),
    integer(
      "unread_requests",
      "Those of the pending requests that could not be read; null if there is none. Requests of earlier readings may then be current that are gone",
      { range: { from: 1 } },
    ),
    ...restOfRecord,
  ],
  example:
    "select vault_address, valid_from, total_withdrawals / nullif(total_assets, 0) as share from core.withdrawal_summaries where is_current order by share desc",
}
