// core.subaccount_tokens: tokens of each subaccount, with history.
import { field, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
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
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const subaccountTokens: Table = {
  schema: "core",
  name: "subaccount_tokens",
  mode: "slowly_changing",
  grain: "subaccount, list, place in it and version",
  comment:
    "Token balances of subaccounts, from the summary and from its portfolio; both lists may contain the same tokens.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "list", "ordinal"],
  columns: [
    subaccountAddress,
    text("list", "`summary` or `portfolio`: the list in the response", {
      required: true,
    }),
    ordinal,
    symbol,
    tokenAddress,
    tokenChainId,
    field.integer("decimals", "Decimals of the token"),
    price,
    rawBalance,
    balance,
    usdValue("Value of the balance"),
    ...restOfRecord,
  ],
  example:
    "select symbol, sum(value) as value from core.subaccount_tokens where list = 'summary' and is_current group by symbol order by value desc",
}
