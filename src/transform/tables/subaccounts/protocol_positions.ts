// core.protocol_positions: what each subaccount holds in protocols across all chains.
import type { Table } from "../../../domain/table.ts"
import {
  assetUsdValue,
  balance,
  debtUsdValue,
  netUsdValue,
  price,
  protocol,
  rawBalance,
  symbol,
  tokenAddress,
  tokenChainId,
  usdValue,
} from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

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
    symbol,
    protocol,
    {
      name: "chain",
      type: "text",
      fields: ["chain"],
      comment: "Chain in the service's own words",
    },
    tokenChainId,
    tokenAddress,
    price,
    rawBalance,
    balance,
    usdValue("Value"),
    assetUsdValue,
    debtUsdValue,
    netUsdValue,
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select protocol, sum(net_usd_value) as net_usd_value from core.protocol_positions where is_current and kind = 'position' group by protocol order by net_usd_value desc",
}
