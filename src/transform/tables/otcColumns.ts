// The columns of an OTC position in every list. §2.5 and §2.7 show no fields.
import {
  type Column,
  field,
  type Range,
  type Reader,
  spellings,
} from "../../domain/table/column.ts"
import { numberOf } from "../fields/numbers.ts"
import { digits, id } from "../fields/readers.ts"

export const otcCounterparty = (name: string, comment: string): Column =>
  field.text(name, comment, { names: ["otc_counterparty_id", "counterparty_id"], read: id })

/** Columns for a figure, its digits, and its unit, which only the name of the field may say. */
export const figureWithUnit = (
  name: string,
  comment: string,
  plausible?: Range,
): ReadonlyArray<Column> => {
  const inUsd = spellings(`${name}_usd`)
  const names = [`${name}_usd`, name]
  const unit = "as sent"
  const usdUnit: Reader = (value, wireName) =>
    inUsd.includes(wireName) && numberOf(value) !== undefined
      ? { value: "USD", isWhole: false }
      : undefined
  return [
    field.double(name, comment, { names, unit, ...(plausible && { plausible }) }),
    field.text(`${name}_digits`, `${comment}, every digit`, { names, unit, read: digits }),
    field.text(
      `${name}_unit`,
      "`USD` if the field's name says so; null if the service names no unit",
      { names, read: usdUnit },
    ),
  ]
}

/** The instrument, size and terms of a trade. */
export const otcTermColumns: ReadonlyArray<Column> = [
  field.text("symbol", "Symbol"),
  field.text("asset_type", "Type of the asset"),
  field.text("settlement_type", "Kind of settlement"),
  field.text("settlement_currency", "Currency of the settlement"),
  field.double("notional", "Notional", { unit: "as sent" }),
  field.double("notional_usd", "Notional, if the field's name says USD", {
    unit: "USD",
  }),
  field.double("strike", "Strike price", { unit: "as sent" }),
  field.timestamp("expiry", "When it expires"),
  field.json("trades", "Trades, as sent"),
]
