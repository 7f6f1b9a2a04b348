// core.protocol_positions: what each subaccount holds in protocols across all chains.
import type { Table } from "../../../domain/table.ts"
import { extra, reportedAt, subaccountAddress } from "../shared.ts"

export const protocolPositions: Table = {
  schema: "core",
  name: "protocol_positions",
  mode: "slowly_changing",
  grain: "subaccount, kind, position and version of it",
  comment:
    "Cross-chain protocol positions of subaccounts with their history: positions, tokens and per-strategy breakdowns.",
  source: "GET /subaccount/{subaccount_address}/debank (§4.3, §2.5)",
  key: ["subaccount_address", "kind", "position_key"],
  columns: [
    subaccountAddress,
    {
      name: "kind",
      type: "text",
      required: true,
      comment:
        "`position`, `token`, `strategy`, or `record` for what the answer says beside its lists",
    },
    {
      name: "position_key",
      type: "text",
      required: true,
      comment:
        "The record's `id`, else the SHA-256 of its content; `#2` and so on for further ones alike",
    },
    {
      name: "name",
      type: "text",
      fields: ["name"],
      comment: "Name of the position or strategy",
    },
    {
      name: "symbol",
      type: "text",
      fields: ["symbol"],
      comment: "Symbol",
    },
    {
      name: "protocol",
      type: "text",
      fields: ["protocol"],
      comment: "Protocol the position is in",
    },
    {
      name: "chain",
      type: "text",
      fields: ["chain"],
      comment: "Chain in the service's own words",
    },
    {
      name: "chain_id",
      type: "integer",
      comment: "The platform's chain id",
    },
    {
      name: "token_address",
      type: "text",
      comment: "Address of the token; EVM in lower case, others as served",
    },
    {
      name: "price",
      type: "double",
      unit: "USD",
      fields: ["price"],
      comment: "Price of one token",
    },
    {
      name: "raw_balance",
      type: "amount",
      fields: ["raw_balance", "rawBalance"],
      comment: "Balance in the token's smallest unit, every digit",
    },
    {
      name: "balance",
      type: "double",
      fields: ["balance"],
      comment: "Balance in whole tokens",
    },
    {
      name: "value",
      type: "double",
      unit: "USD",
      fields: ["value"],
      comment: "Value",
    },
    {
      name: "asset_usd_value",
      type: "double",
      unit: "USD",
      fields: ["assetUsdValue", "asset_usd_value"],
      comment: "Value of the assets of the position",
    },
    {
      name: "debt_usd_value",
      type: "double",
      unit: "USD",
      fields: ["debtUsdValue", "debt_usd_value"],
      comment: "Value of the debt of the position",
    },
    {
      name: "net_usd_value",
      type: "double",
      unit: "USD",
      fields: ["netUsdValue", "net_usd_value"],
      comment: "Assets minus debt of the position",
    },
    reportedAt,
    extra,
  ],
  example:
    "select protocol, sum(net_usd_value) as net_usd_value from core.protocol_positions where is_current and kind = 'position' group by protocol order by net_usd_value desc",
}
