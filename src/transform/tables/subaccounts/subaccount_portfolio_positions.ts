// core.subaccount_portfolio_positions: positions each subaccount held, by kind.
import type { Table } from "../../../domain/table.ts"
import { extra, subaccountAddress } from "../shared.ts"

export const subaccountPortfolioPositions: Table = {
  schema: "core",
  name: "subaccount_portfolio_positions",
  mode: "slowly_changing",
  grain: "subaccount, kind, place in its list and version",
  comment:
    "Positions in the portfolios of subaccounts: on centralized exchanges, in protocols, over the counter, total-return swaps, margin, collateral, strategy contracts and the legacy hedger.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "kind", "ordinal"],
  columns: [
    subaccountAddress,
    {
      name: "kind",
      type: "text",
      required: true,
      comment:
        "`cefi`, `defi`, `otc`, `trs`, `margin`, `collateral`, `strategy` or `legacy_hedger`",
    },
    {
      name: "ordinal",
      type: "integer",
      required: true,
      comment: "Place in the list served, from 0",
    },
    {
      name: "name",
      type: "text",
      fields: ["name"],
      comment: "Name of the position",
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
      name: "token_address",
      type: "text",
      comment: "Address of the token; EVM in lower case, others as served",
    },
    {
      name: "chain_id",
      type: "integer",
      comment: "The platform's chain id",
    },
    {
      name: "underlying",
      type: "text",
      fields: ["underlying"],
      comment: "Underlying of a derivative",
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
      comment: "Value of the position",
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
    extra,
  ],
  example:
    "select subaccount_address, kind, count(*) as positions, sum(value) as value from core.subaccount_portfolio_positions where is_current group by all order by subaccount_address, kind",
}
