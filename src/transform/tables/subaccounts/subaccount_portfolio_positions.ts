// core.subaccount_portfolio_positions: positions of each subaccount by kind, with history.
import { field, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import {
  balance,
  ordinal,
  positionValues,
  protocol,
  rawBalance,
  symbol,
  tokenAddress,
  tokenChainId,
} from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

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
    text(
      "kind",
      "`cefi`, `defi`, `otc`, `trs`, `margin`, `collateral`, `strategy` or `legacy_hedger`",
      { required: true },
    ),
    ordinal,
    field.text("name", "Name of the position"),
    symbol,
    protocol,
    tokenAddress,
    tokenChainId,
    field.text("underlying", "Underlying of a derivative"),
    rawBalance,
    balance,
    ...positionValues,
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, kind, count(*) as positions, sum(value) as value from core.subaccount_portfolio_positions where is_current group by all order by subaccount_address, kind",
}
