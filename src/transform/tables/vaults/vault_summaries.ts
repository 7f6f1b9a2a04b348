// core.vault_summaries: each vault's summary, with its history.
import { field, json } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"

const returnOver = (days: number, period: string, name: string) =>
  field.double(
    `return_${days}_day`,
    `Return over ${period}, in percent or as a fraction: the document does not specify which`,
    {
      names: [`recent_returns.${name}`, `return_${days}_day`, `return_${days}_day_pct`],
      unit: "as sent, see recent_returns",
    },
  )

const returns = [
  returnOver(1, "one day", "day"),
  returnOver(7, "seven days", "week"),
  returnOver(30, "thirty days", "month"),
]

/** The columns of the returns. */
export const returnColumns: ReadonlyArray<string> = returns.map(({ name }) => name)

export const vaultSummaries: Table = {
  schema: "core",
  name: "vault_summaries",
  mode: "slowly_changing",
  grain: "vault and version of its summary",
  comment: "Vault summaries; the strategy allocation is in core.vault_summary_allocations.",
  source: "GET /tokenized_vault/vault_summary/{vault_address} (§4.2, §2.10)",
  key: ["vault_address"],
  columns: [
    vaultAddress,
    chainId,
    field.text("name", "Display name", { names: ["name", "vault_name"] }),
    field.text("type", "Type of the vault", { names: ["type", "public_type"] }),
    ...returns,
    json("recent_returns", "The returns under their wire names, which may say their unit"),
    field.timestamp("latest_snapshot_at", "Instant of the latest snapshot, if it has one", {
      names: ["latest_snapshot_at"],
    }),
    field.json("latest_snapshot", "Latest snapshot, as sent", {
      names: ["latest_snapshot", "snapshot"],
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, return_30_day, valid_from from core.vault_summaries where is_current",
}
