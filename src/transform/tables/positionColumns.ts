// The columns of tokens and positions that have the same meaning in every list. §2.2 and §2.5 show no fields.
import { field, integer } from "../../domain/table/column.ts"
import { amountNames } from "../fields/amounts.ts"
import { address, chain, id } from "../fields/readers.ts"

export const symbol = field.text("symbol", "Symbol", { names: ["symbol", "token_symbol"] })

export const tokenAddress = field.text(
  "token_address",
  "Address of the token; EVM in lower case, others unchanged",
  { names: ["address", "token_address"], read: address },
)

export const tokenChainId = field.integer("chain_id", "The platform's chain id", {
  names: ["chain_id", "chain"],
  read: chain,
})

export const protocol = field.text("protocol", "Protocol the position is in")

export const price = field.double("price", "Price of one token", {
  names: ["price_usd", "price"],
  unit: "USD",
})

export const rawBalance = field.amount(
  "raw_balance",
  "Balance in the token's smallest unit, every digit",
)

export const balance = field.double("balance", "Balance in whole tokens", {
  names: [...amountNames("balance").normalized, "balance"],
})

export const usdValue = (comment: string) =>
  field.double("value", comment, { names: ["value_usd", "usd_value", "value"], unit: "USD" })

/** The value of a position, its assets and its debt. */
export const positionValues = [
  usdValue("Value of the position"),
  field.double("asset_usd_value", "Value of the assets of the position", { unit: "USD" }),
  field.double("debt_usd_value", "Value of the debt of the position", { unit: "USD" }),
  field.double("net_usd_value", "Assets minus debt of the position", { unit: "USD" }),
]

export const ordinal = integer("ordinal", "Place in the list, from 0", { required: true })

export const positionKey = field.text(
  "position_key",
  "The record's `id`, else the SHA-256 of its content; `#2` and so on for repetitions",
  { names: ["id"], read: id, required: true },
)
