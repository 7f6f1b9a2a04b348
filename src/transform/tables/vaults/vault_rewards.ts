// core.vault_rewards: reward programmes of each vault.
import type { Table } from "../../../domain/table.ts"
import { vaultListTable } from "../vaultListTable.ts"

export const vaultRewards: Table = vaultListTable({
  name: "vault_rewards",
  grain: "vault, reward programme and version",
  comment: "Reward programmes of each vault. One that is no longer listed has ended.",
  entryId: "Id, text or name of the programme, else a hash of it",
  columns: [
    {
      name: "text",
      type: "text",
      fields: ["text", "name", "title", "label"],
      comment: "What the programme is called",
    },
    {
      name: "multiplier",
      type: "double",
      unit: "factor, as served",
      fields: ["multiplier"],
      comment: "Multiplier of the reward",
    },
    {
      name: "started_at",
      type: "timestamp",
      unit: "UTC",
      fields: [
        "start_datetime",
        "startDatetime",
        "started_at",
        "startedAt",
        "start_date",
        "startDate",
      ],
      comment: "Start of the programme",
    },
  ],
  example: "select vault_address, text, multiplier from core.vault_rewards where is_current",
})
