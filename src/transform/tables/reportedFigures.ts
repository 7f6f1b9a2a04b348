// The figures of a vault in the list and in its details, without the description. §2.10 names none of their fields.
import { type Column, field } from "../../domain/table/column.ts"

export const reportedFigures: ReadonlyArray<Column> = [
  field.double("latest_reported_tvl", "Total value locked as last reported", { unit: "as sent" }),
  field.json("reported_apy", "Reported APY and its parts, as sent"),
  field.json("historical_apy", "Map of days to APY, as sent"),
]
