// core.subaccount_otc_positions: OTC positions of each subaccount.
import { field } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { otcCounterparty, otcTermColumns } from "../otcColumns.ts"
import { positionKey, usdValue } from "../positionColumns.ts"
import { restOfRecord, subaccountAddress } from "../shared.ts"

export const subaccountOtcPositions: Table = {
  schema: "core",
  name: "subaccount_otc_positions",
  mode: "slowly_changing",
  grain: "subaccount, position and version of it",
  comment:
    "OTC positions of subaccounts with their history. core.otc_positions has those of the whole platform.",
  source: "paths.subaccountOtcPositions of the configuration (§4.3, §2.5)",
  key: ["subaccount_address", "position_key"],
  columns: [
    subaccountAddress,
    positionKey,
    field.text("underlying", "Underlying of the position"),
    usdValue("Value of the position"),
    otcCounterparty("counterparty_id", "Counterparty"),
    ...otcTermColumns,
    ...restOfRecord,
  ],
  example:
    "select subaccount_address, underlying, value from core.subaccount_otc_positions where is_current order by value desc",
}
