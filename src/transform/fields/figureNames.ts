// What the figures of tokens, positions and trades are ordinarily called. §2.2 and §2.5 to §2.7 show no name;
// the first present wins, a further one stays in `extra`.
import { spellings } from "./takenFields.ts"

/** A value in USD; `value` alone is one where the table says so. */
export const usdValueNames = spellings(
  "value",
  "usd_value",
  "value_usd",
  "amount_usd",
  "mark_usd",
  "market_value",
  "market_value_usd",
  "balance_usd",
)

/** In whole tokens or contracts: a name that says so makes the plain one beside it the raw amount. */
export const balanceNames = spellings(
  "balance_normalized",
  "normalized_balance",
  "amount_normalized",
  "normalized_amount",
  "balance_formatted",
  "amount_formatted",
  "ui_amount",
  "balance",
  "amount",
  "quantity",
  "units",
  "size",
)

/** In the token's smallest unit. */
export const rawBalanceNames = spellings("raw_balance", "balance_raw", "raw_amount", "amount_raw")

export const priceNames = spellings("price", "price_usd", "usd_price", "mark_price")

/** `asset`, `debt` or `net`: the value of that part of a position in USD. */
export const partValueNames = (part: string): ReadonlyArray<string> =>
  spellings(`${part}_usd_value`, `${part}_value_usd`, `${part}_value`, `${part}_usd`)

export const instrumentNames = spellings("symbol", "instrument", "instrument_name", "name")

export const notionalNames = spellings("notional", "notional_amount", "notional_value")

export const notionalUsdNames = spellings("notional_usd", "usd_notional", "notional_value_usd")

export const strikeNames = spellings("strike", "strike_price")

export const expiryNames = spellings(
  "expiry",
  "expiry_date",
  "expires_at",
  "expiration",
  "expiration_date",
)

export const counterpartyNames = spellings(
  "otc_counterparty_id",
  "counterparty_id",
  "counterparty",
  "counterparty_name",
)

/** Names that say that the figure is in USD come before those that leave the unit open. */
export const usdFirst = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...names.filter((name) => /usd/i.test(name)),
  ...names.filter((name) => !/usd/i.test(name)),
]
