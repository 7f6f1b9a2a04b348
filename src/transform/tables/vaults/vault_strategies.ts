// core.vault_strategies: who runs each vault, with which subaccount.
import type { Table } from "../../../domain/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultStrategies: Table = vaultListTable({
  name: "vault_strategies",
  grain: "vault, subaccount or strategist, and version",
  comment:
    "Subaccounts of each vault with their strategists, and strategists named without one. What a vault no longer lists has ended.",
  entryId: "List and address of the subaccount, else of the strategist",
  columns: [
    {
      name: "subaccount_address",
      type: "text",
      comment: "Subaccount; EVM in lower case. Null for a strategist named without one",
    },
    {
      name: "subaccount_address_as_served",
      type: "text",
      fields: ["address", "subaccount_address", "subaccountAddress"],
      comment: "The address as the service spells it",
    },
    {
      name: "strategist_id",
      type: "text",
      comment: "The platform's id of the strategist, or the strategist's address",
    },
    { name: "strategist_name", type: "text", comment: "Name of the strategist" },
    {
      name: "strategist",
      type: "json",
      fields: ["strategist"],
      comment: "The strategist, as served",
    },
  ],
  example:
    "select vault_address, subaccount_address, strategist_name from core.vault_strategies where is_current",
})
