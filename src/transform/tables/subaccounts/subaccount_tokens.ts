// core.subaccount_tokens: tokens each subaccount held.
import type { Table } from "../../../domain/table.ts"
import {
  balance,
  ordinal,
  price,
  rawBalance,
  symbol,
  tokenAddress,
  tokenChainId,
  usdValue,
} from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

export const subaccountTokens: Table = {
  schema: "core",
  name: "subaccount_tokens",
  mode: "slowly_changing",
  grain: "subaccount, list, place in it and version",
  comment:
    "Token balances of subaccounts, from the summary itself and from its portfolio: the two lists may hold the same tokens.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "list", "ordinal"],
  columns: [
    subaccountAddress,
    {
      name: "list",
      type: "text",
      required: true,
      comment: "`summary` or `portfolio`: which list of the answer it stands in",
    },
    ordinal,
    symbol,
    tokenAddress,
    tokenChainId,
    {
      name: "decimals",
      type: "integer",
      fields: ["decimals"],
      comment: "Decimals of the token",
    },
    price,
    rawBalance,
    balance,
    usdValue("Value of the balance"),
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select symbol, sum(value) as value from core.subaccount_tokens where list = 'summary' and is_current group by symbol order by value desc",
}
