// core.otc_positions: OTC positions of the whole platform.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { instrumentNames, usdFirst, usdValueNames } from "../../fields/figureNames.ts"
import { address, digits, double, mapTaken, served, unitNamed } from "../../fields/takenFields.ts"
import { otcCounterparty, otcTermColumns } from "../otcColumns.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const otcPositions: Table = {
  schema: "core",
  name: "otc_positions",
  mode: "slowly_changing",
  grain: "OTC position and version of its record",
  comment: "OTC positions; one that is no longer listed has its last version ended.",
  source: "GET /otc/position (§4.4, §2.7)",
  key: ["position_id"],
  columns: [
    {
      name: "position_id",
      type: "text",
      required: true,
      comment: "Id of the position; a digest of its content where the record holds none",
    },
    {
      name: "subaccount_address",
      type: "text",
      comment: "Subaccount of the position; EVM in lower case, others as served",
    },
    otcCounterparty,
    { name: "value", type: "double", unit: "as served", comment: "Value of the position" },
    {
      name: "value_digits",
      type: "text",
      unit: "as served",
      comment: "Value of the position, every digit as served",
    },
    {
      name: "value_unit",
      type: "text",
      comment: "`USD` where the name of the field says so; null where the service tells no unit",
    },
    ...otcTermColumns,
    { name: "symbol", type: "text", fields: instrumentNames, comment: "Symbol" },
    {
      name: "underlying",
      type: "json",
      fields: ["underlying"],
      comment: "Underlying, as served",
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
      comment: "How the position is settled",
    },
    {
      name: "settlement_currency",
      type: "text",
      fields: ["settlement_currency", "settlementCurrency"],
      comment: "What the position is settled in",
    },
    { name: "trades", type: "json", fields: ["trades"], comment: "Trades, as served" },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example: "select symbol, asset_type, value from core.otc_positions where is_current",
}

const valueNames = usdFirst(usdValueNames)

/** One row a position; all there are, so that those missing have ended. */
export const otcPositionRows = (
  records: ReadonlyArray<JsonObject>,
  { origin }: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  const idFields = ["id", "position_id", "positionId"] as const
  const { rows, drift } = mapTaken({
    table: otcPositions,
    records,
    origin,
    readings: {
      position_id: [served(...idFields), digits(...idFields)],
      subaccount_address: address("subaccount_address", "subaccount", "wallet_address"),
      value: double(...valueNames),
      value_digits: digits(...valueNames),
      value_unit: unitNamed(valueNames),
    },
    computed: { position_id: contentKeys(records, idFields) },
  })
  return Result.succeed(together({ rows: { ...rows, scope: {} }, drift }))
}
