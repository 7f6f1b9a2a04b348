// core.vault_strategies: who runs each vault, with which subaccount.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultStrategies: Table = {
  schema: "core",
  name: "vault_strategies",
  mode: "slowly_changing",
  grain: "vault, subaccount or strategist, and version",
  comment:
    "Subaccounts of each vault with their strategists, and strategists named without one. What a vault no longer lists has ended.",
  source: "GET /tokenized_vault/{vault_address} (§4.2, §2.10)",
  key: ["chain_id", "vault_address", "entry_id"],
  columns: [
    { ...chainId, required: true },
    vaultAddress,
    {
      name: "entry_id",
      type: "text",
      required: true,
      comment:
        "List and address of the subaccount, else of the strategist; `#2` and so on where repeated",
    },
    {
      name: "listed_as",
      type: "text",
      required: true,
      comment: "Field of the vault's record that lists it",
    },
    {
      name: "subaccount_address",
      type: "text",
      comment: "Subaccount; EVM in lower case. Null for a strategist named without one",
    },
    {
      name: "subaccount_address_as_served",
      type: "text",
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
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, subaccount_address, strategist_name from core.vault_strategies where is_current",
}
