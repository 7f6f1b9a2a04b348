// Columns of an OTC position wherever the service lists one (§2.5 and §2.7 show no field).
import type { Column } from "../../domain/table.ts"
import {
  counterpartyNames,
  expiryNames,
  notionalNames,
  notionalUsdNames,
  strikeNames,
} from "../fields/figureNames.ts"

export const otcCounterparty: Column = {
  name: "counterparty_id",
  type: "text",
  fields: counterpartyNames,
  comment: "Counterparty, as served",
}

/** Size and terms of the trade. */
export const otcTermColumns: ReadonlyArray<Column> = [
  {
    name: "notional",
    type: "double",
    unit: "as served",
    fields: notionalNames,
    comment: "Notional",
  },
  {
    name: "notional_usd",
    type: "double",
    unit: "USD",
    fields: notionalUsdNames,
    comment: "Notional, where the name of the field says that it is in USD",
  },
  {
    name: "strike",
    type: "double",
    unit: "as served",
    fields: strikeNames,
    comment: "Strike price",
  },
  {
    name: "expiry",
    type: "timestamp",
    unit: "UTC",
    fields: expiryNames,
    comment: "When it expires",
  },
]
