// core.subaccount_tokens: tokens each subaccount held.
import type { Table } from "../../../domain/table.ts"
import { extra, subaccountAddress } from "../shared.ts"
import { observedAt } from "../subaccountColumns.ts"

export const subaccountTokens: Table = {
  schema: "core",
  name: "subaccount_tokens",
  mode: "history",
  grain: "subaccount, observation, list and place in it",
  comment:
    "Token balances of subaccounts, from the summary itself and from its portfolio: the two lists may hold the same tokens.",
  source: "GET /subaccounts/summary (§4.3, §2.2)",
  key: ["subaccount_address", "observed_at", "list", "ordinal"],
  time: "observed_at",
  columns: [
    subaccountAddress,
    observedAt,
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
    "select symbol, sum(value) as value from core.subaccount_tokens where list = 'summary' and observed_at >= (select max(observed_at) - interval 1 day from core.subaccount_tokens) group by symbol order by value desc",
}
