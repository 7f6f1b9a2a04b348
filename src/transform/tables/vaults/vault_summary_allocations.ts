// core.vault_summary_allocations: the allocation of each vault's assets according to its summary, with history.
import { field, text } from "../../../domain/column.ts"
import type { Table } from "../../../domain/table.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"

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
    text(
      "position",
      "Strategy, position or protocol; `#2` and so on for repetitions; its place, such as `#1`, if it has no name",
      { required: true },
    ),
    field.double("value", "Value allocated", {
      unit: "as sent; USD where the service specifies it",
    }),
    field.double("share", "Share of the vault's assets, if the service sends it", {
      unit: "as sent",
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, position, value, share from core.vault_summary_allocations where is_current order by vault_address, value desc",
}
