// core.vault_summary_allocations: the allocation of each vault's assets according to its summary, with history.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { nonEmpty } from "../../fields/readers.ts"
import { allocationColumns, allocationShapes } from "../allocationColumns.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"

export const vaultSummaryAllocations: Table = {
  schema: "core",
  name: "vault_summary_allocations",
  mode: "slowly_changing",
  grain: "vault, position and version",
  comment: "Strategy allocation in a vault's summary.",
  source: "GET /tokenized_vault/vault_summary/{vault_address}, strategy allocation (§4.2, §2.10)",
  key: ["vault_address", "position"],
  // "Current strategy allocation" (§2.10).
  shapes: allocationShapes("position", [
    "allocation",
    "allocations",
    "current_allocation",
    "strategy_allocation",
    "strategy_allocations",
    "current_strategy_allocation",
  ]),
  columns: [
    vaultAddress,
    chainId,
    field.text("position", "Strategy, position or protocol; `#2` and so on for repetitions", {
      names: ["position", "strategy", "strategy_name", "protocol", "protocol_name", "name"],
      read: nonEmpty,
      required: true,
    }),
    ...allocationColumns("Value allocated"),
    ...restOfRecord,
  ],
  example:
    "select vault_address, position, value, share from core.vault_summary_allocations where is_current order by vault_address, value desc",
}
