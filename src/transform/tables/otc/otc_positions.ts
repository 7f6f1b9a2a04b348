// core.otc_positions: OTC positions of the whole platform.
import type * as Result from "effect/Result"
import { field } from "../../../domain/table/column.ts"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { address, id } from "../../fields/readers.ts"
import { reportTimesOf } from "../../fields/reportTimes.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { figureWithUnit, otcCounterparty, otcTermColumns } from "../otcColumns.ts"
import { restOfRecord } from "../shared.ts"

export const otcPositions: Table = {
  schema: "core",
  name: "otc_positions",
  mode: "slowly_changing",
  grain: "OTC position and version of its record",
  comment: "OTC positions. A position ends when it is no longer listed.",
  source: "GET /otc/position (§4.4, §2.7)",
  key: ["position_id"],
  columns: [
    field.text("position_id", "Id of the position; a hash of its content if the record has none", {
      names: ["id", "position_id"],
      read: id,
      required: true,
    }),
    field.text(
      "subaccount_address",
      "Subaccount of the position; EVM in lower case, others unchanged",
      { names: ["subaccount_address", "subaccount"], read: address },
    ),
    otcCounterparty("counterparty_id", "Counterparty"),
    ...figureWithUnit("value", "Value of the position"),
    ...otcTermColumns,
    field.json("underlying", "Underlying, as sent"),
    ...restOfRecord,
  ],
  example: "select symbol, asset_type, value from core.otc_positions where is_current",
}

/** One row for each position. The response is the whole set. */
export const otcPositionRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  const ids = contentKeys(
    records,
    namesOf(otcPositions, "position_id", source),
    reportTimesOf(otcPositions, source),
  )
  const computed = { position_id: ids }
  return combined(mapRecords({ table: otcPositions, records, source, computed, mergeKey: {} }))
}
