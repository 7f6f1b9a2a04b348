// core.subaccount_tokens: tokens each subaccount held.
import type { Table } from "../../../domain/table.ts"
import { extra, subaccountAddress } from "../shared.ts"

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
    {
      name: "ordinal",
      type: "integer",
      required: true,
      comment: "Place in the list served, from 0",
    },
    {
      name: "symbol",
      type: "text",
      fields: ["symbol"],
      comment: "Symbol",
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
      name: "decimals",
      type: "integer",
      fields: ["decimals"],
      comment: "Decimals of the token",
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
      comment: "Value of the balance",
    },
    extra,
  ],
  example:
    "select symbol, sum(value) as value from core.subaccount_tokens where list = 'summary' and is_current group by symbol order by value desc",
}
