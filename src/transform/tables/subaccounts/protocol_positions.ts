// core.protocol_positions: positions of each subaccount in protocols, across all chains.
import { field, text } from "../../../domain/table/column.ts"
import type { Shape } from "../../../domain/table/shape.ts"
import type { Table } from "../../../domain/table/table.ts"
import {
  balance,
  positionKey,
  positionValues,
  price,
  protocol,
  rawBalance,
  symbol,
  tokenAddress,
  tokenChainId,
} from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

const requires = [
  ["name", "protocol", "symbol", "token_address", "value", "net_usd_value", "asset_usd_value"],
]

const listOrMap = (what: string, names: ReadonlyArray<string>): ReadonlyArray<Shape> => [
  { name: `a list of ${what}`, holds: "list", in: names, requires },
  { name: `a map of ${what} by name`, holds: "map", in: names, key: "name", requires },
]

/** "Positions and tokens for the subaccount plus per-strategy breakdowns" (§2.5). */
export const protocolPositionShapes = {
  position: listOrMap("positions", ["positions", "protocol_positions", "protocols"]),
  token: listOrMap("tokens", ["tokens"]),
  strategy: listOrMap("strategies", ["strategies", "strategy_breakdowns", "per_strategy"]),
} as const

export const protocolPositions: Table = {
  schema: "core",
  name: "protocol_positions",
  mode: "slowly_changing",
  grain: "subaccount, kind, position and version of it",
  comment:
    "Cross-chain protocol positions of subaccounts with their history: positions, tokens and per-strategy breakdowns.",
  source: "GET /subaccount/{subaccount_address}/debank (§4.3, §2.5)",
  key: ["subaccount_address", "kind", "position_key"],
  shapes: Object.values(protocolPositionShapes).flat(),
  columns: [
    subaccountAddress,
    text("kind", "`position`, `token`, `strategy`, or `record` for the fields outside the lists", {
      required: true,
    }),
    {
      ...positionKey,
      comment:
        "The record's chain and `id`, else its `id`, else the SHA-256 of its content; `#2` and so on for repetitions",
    },
    field.text("name", "Name of the position or strategy"),
    symbol,
    protocol,
    field.text("chain", "Chain, as sent"),
    tokenChainId,
    tokenAddress,
    price,
    rawBalance,
    balance,
    ...positionValues,
    ...restOfRecord,
  ],
  example:
    "select protocol, sum(net_usd_value) as net_usd_value from core.protocol_positions where is_current and kind = 'position' group by protocol order by net_usd_value desc",
}
