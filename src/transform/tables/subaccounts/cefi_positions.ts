// core.cefi_positions: what each subaccount holds on centralized exchanges.
import type { Table } from "../../../domain/table.ts"
import { usdValue } from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

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
    {
      name: "position_key",
      type: "text",
      required: true,
      comment:
        "The record's `id`, else the SHA-256 of its content; `#2` and so on for further ones alike",
    },
    {
      name: "name",
      type: "text",
      fields: ["name"],
      comment: "Name of the position",
    },
    usdValue("Value of the position"),
    {
      name: "spot_tokens",
      type: "json",
      fields: ["spot_tokens", "spotTokens"],
      comment: "Tokens held, as served",
    },
    {
      name: "derivative_positions",
      type: "json",
      fields: ["derivative_positions", "derivativePositions"],
      comment: "Derivatives with units, costs and value, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, name, value from core.cefi_positions where is_current order by value desc",
}
