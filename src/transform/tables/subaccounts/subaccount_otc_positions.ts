// core.subaccount_otc_positions: OTC positions of each subaccount.
import type { Table } from "../../../domain/table.ts"
import { instrumentNames } from "../../fields/figureNames.ts"
import { otcCounterparty, otcTermColumns } from "../otcColumns.ts"
import { usdValue } from "../positionColumns.ts"
import { extra, reportedAt, reportedTimes, subaccountAddress } from "../shared.ts"

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
    {
      name: "position_key",
      type: "text",
      required: true,
      comment:
        "The record's `id`, else the SHA-256 of its content; `#2` and so on for further ones alike",
    },
    {
      name: "symbol",
      type: "text",
      fields: instrumentNames,
      comment: "Symbol",
    },
    {
      name: "underlying",
      type: "text",
      fields: ["underlying"],
      comment: "Underlying of the position",
    },
    {
      name: "asset_type",
      type: "text",
      fields: ["asset_type", "assetType"],
      comment: "Type of the asset",
    },
    {
      name: "settlement_type",
      type: "text",
      fields: ["settlement_type", "settlementType"],
      comment: "How it settles",
    },
    {
      name: "settlement_currency",
      type: "text",
      fields: ["settlement_currency", "settlementCurrency"],
      comment: "What it settles in",
    },
    usdValue("Value of the position"),
    otcCounterparty,
    ...otcTermColumns,
    {
      name: "trades",
      type: "json",
      fields: ["trades"],
      comment: "Its trades, as served",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select subaccount_address, underlying, value from core.subaccount_otc_positions where is_current order by value desc",
}
