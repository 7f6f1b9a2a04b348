// core.otc_margin_requirements: the margin that OTC counterparties and payers must post.
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
import { figureWithUnit, otcCounterparty } from "../otcColumns.ts"
import { restOfRecord } from "../shared.ts"

export const otcMarginRequirements: Table = {
  schema: "core",
  name: "otc_margin_requirements",
  mode: "slowly_changing",
  grain: "margin requirement and version of its record",
  comment: "OTC margin requirements. A requirement ends when it is no longer listed.",
  source: "GET /otc/margin_requirement (§4.4, §2.7)",
  key: ["requirement_id"],
  columns: [
    field.text(
      "requirement_id",
      "Id of the requirement; a hash of its content if the record has none",
      { names: ["id", "requirement_id"], read: id, required: true },
    ),
    otcCounterparty("otc_counterparty_id", "Counterparty, a UUID (§4.4)"),
    field.text("payer_address", "Payer of the margin; EVM in lower case, others unchanged", {
      names: ["payer", "payer_address"],
      read: address,
    }),
    ...figureWithUnit("required", "Margin required", { from: 0 }),
    ...figureWithUnit("posted", "Margin posted", { from: 0 }),
    ...restOfRecord,
  ],
  example:
    "select otc_counterparty_id, payer_address, required from core.otc_margin_requirements where is_current",
}

/** One row for each requirement. The response is the whole set. */
export const otcMarginRequirementRows = (
  records: ReadonlyArray<JsonObject>,
  source: Source<null>,
): Result.Result<MappedResponse, Violation> => {
  const ids = contentKeys(
    records,
    namesOf(otcMarginRequirements, "requirement_id", source),
    reportTimesOf(otcMarginRequirements, source),
  )
  const computed = { requirement_id: ids }
  return combined(
    mapRecords({ table: otcMarginRequirements, records, source, computed, mergeKey: {} }),
  )
}
