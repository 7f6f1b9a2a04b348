// core.vault_rewards: reward programmes of each vault.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const vaultRewards: Table = {
  schema: "core",
  name: "vault_rewards",
  mode: "slowly_changing",
  grain: "vault, reward programme and version",
  comment: "Reward programmes of each vault. One that is no longer listed has ended.",
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
        "Id, text or name of the programme, else a hash of it; `#2` and so on where repeated",
    },
    {
      name: "listed_as",
      type: "text",
      required: true,
      comment: "Field of the vault's record that lists it",
    },
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
    reportedAt,
    reportedTimes,
    extra,
  ],
  example: "select vault_address, text, multiplier from core.vault_rewards where is_current",
}
