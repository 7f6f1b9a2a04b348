// core.allocation_history: where each EVM vault's assets were, by day and protocol.
import type { Table } from "../../../domain/table.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const allocationHistory: Table = {
  schema: "core",
  name: "allocation_history",
  mode: "history",
  grain: "vault, day and protocol",
  comment: "Daily allocation by protocol. Points served long or wide become one row per protocol.",
  source: "GET /platform/historical_allocations/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "protocol"],
  time: "date",
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    { name: "date", type: "date", unit: "UTC day", required: true, comment: "Day of the point" },
    { name: "protocol", type: "text", required: true, comment: "Protocol the assets are in" },
    {
      name: "value_usd",
      type: "double",
      unit: "USD",
      comment: "Value allocated to the protocol",
    },
    {
      name: "share",
      type: "double",
      unit: "as served",
      comment: "Share of the vault's assets, where the service gives one",
    },
    extra,
  ],
  example:
    "select date, protocol, value_usd from core.allocation_history order by date desc, value_usd desc limit 20",
}
