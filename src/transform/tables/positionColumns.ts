// Columns of tokens and positions, which mean the same wherever the service lists them (field names as in use,
// §2.2 and §2.5 show none).
import type { Column } from "../../domain/table.ts"
import {
  balanceNames,
  partValueNames,
  priceNames,
  rawBalanceNames,
  usdValueNames,
} from "../fields/figureNames.ts"
import { spellings } from "../fields/takenFields.ts"

export const symbol: Column = {
  name: "symbol",
  type: "text",
  fields: spellings("symbol", "token_symbol", "ticker"),
  comment: "Symbol",
}

export const tokenAddress: Column = {
  name: "token_address",
  type: "text",
  comment: "Address of the token; EVM in lower case, others as served",
}

export const tokenChainId: Column = {
  name: "chain_id",
  type: "integer",
  comment: "The platform's chain id",
}

export const protocol: Column = {
  name: "protocol",
  type: "text",
  fields: spellings("protocol", "protocol_name"),
  comment: "Protocol the position is in",
}

export const price: Column = {
  name: "price",
  type: "double",
  unit: "USD",
  fields: priceNames,
  comment: "Price of one token",
}

export const rawBalance: Column = {
  name: "raw_balance",
  type: "amount",
  fields: rawBalanceNames,
  comment: "Balance in the token's smallest unit, every digit",
}

export const balance: Column = {
  name: "balance",
  type: "double",
  fields: balanceNames,
  comment: "Balance in whole tokens",
}

export const usdValue = (comment: string): Column => ({
  name: "value",
  type: "double",
  unit: "USD",
  fields: usdValueNames,
  comment,
})

export const assetUsdValue: Column = {
  name: "asset_usd_value",
  type: "double",
  unit: "USD",
  fields: partValueNames("asset"),
  comment: "Value of the assets of the position",
}

export const debtUsdValue: Column = {
  name: "debt_usd_value",
  type: "double",
  unit: "USD",
  fields: partValueNames("debt"),
  comment: "Value of the debt of the position",
}

export const netUsdValue: Column = {
  name: "net_usd_value",
  type: "double",
  unit: "USD",
  fields: partValueNames("net"),
  comment: "Assets minus debt of the position",
}

export const ordinal: Column = {
  name: "ordinal",
  type: "integer",
  required: true,
  comment: "Place in the list served, from 0",
}
