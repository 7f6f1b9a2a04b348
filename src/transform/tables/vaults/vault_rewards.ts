// core.vault_rewards: reward programmes of each vault.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultRewards: Table = vaultListTable({
  name: "vault_rewards",
  lists: ["rewards", "reward_programs"],
  grain: "vault, reward programme and version",
  comment: "Reward programmes of each vault. A programme ends when it is no longer listed.",
  entryId: "Id, text or name of the programme, else a hash of it",
  columns: [
    field.text("text", "Name of the programme", {
      names: ["text", "name", "title", "label"],
    }),
    field.double("multiplier", "Multiplier of the reward", { unit: "factor, as sent" }),
    field.timestamp("started_at", "Start of the programme", {
      names: ["start_datetime"],
    }),
  ],
  example: "select vault_address, text, multiplier from core.vault_rewards where is_current",
})
