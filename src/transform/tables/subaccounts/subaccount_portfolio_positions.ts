// core.subaccount_portfolio_positions: positions each subaccount held, by kind.
import type { Table } from "../../../domain/table.ts"
import {
  assetUsdValue,
  balance,
  debtUsdValue,
  netUsdValue,
  ordinal,
  protocol,
  rawBalance,
  symbol,
  tokenAddress,
  tokenChainId,
  usdValue,
} from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

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
    ordinal,
    {
      name: "name",
      type: "text",
      fields: ["name", "instrument", "instrument_name", "instrumentName"],
      comment: "Name of the position",
    },
    symbol,
    protocol,
    tokenAddress,
    tokenChainId,
    {
      name: "underlying",
      type: "text",
      fields: ["underlying"],
      comment: "Underlying of a derivative",
    },
    rawBalance,
    balance,
    usdValue("Value of the position"),
    assetUsdValue,
    debtUsdValue,
    netUsdValue,
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, kind, count(*) as positions, sum(value) as value from core.subaccount_portfolio_positions where is_current group by all order by subaccount_address, kind",
}
