// core.cefi_positions: positions of each subaccount on centralized exchanges.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { positionKey, usdValue } from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const cefiPositions: Table = {
  schema: "core",
  name: "cefi_positions",
  mode: "slowly_changing",
  grain: "subaccount, position and version of it",
  comment: "Positions of subaccounts on centralized exchanges with their history.",
  source: "paths.cefiPositions of the configuration (§4.3, §2.5)",
  key: ["subaccount_address", "position_key"],
  columns: [
    subaccountAddress,
    positionKey,
    field.text("name", "Name of the position"),
    usdValue("Value of the position"),
    field.json("spot_tokens", "Tokens held, as sent"),
    field.json("derivative_positions", "Derivatives with units, costs and value, as sent"),
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, name, value from core.cefi_positions where is_current order by value desc",
}
