// core.otc_margin_requirements: what OTC counterparties and payers have to post.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { counterpartyNames, usdFirst } from "../../fields/figureNames.ts"
import {
  address,
  digits,
  double,
  mapTaken,
  served,
  spellings,
  unitNamed,
} from "../../fields/takenFields.ts"
import { extra, reportedAt, reportedTimes } from "../shared.ts"

export const otcMarginRequirements: Table = {
  schema: "core",
  name: "otc_margin_requirements",
  mode: "slowly_changing",
  grain: "margin requirement and version of its record",
  comment: "OTC margin requirements; one that is no longer listed has its last version ended.",
  source: "GET /otc/margin_requirement (§4.4, §2.7)",
  key: ["requirement_id"],
  columns: [
    {
      name: "requirement_id",
      type: "text",
      required: true,
      comment: "Id of the requirement; a digest of its content where the record holds none",
    },
    {
      name: "otc_counterparty_id",
      type: "text",
      fields: counterpartyNames,
      comment: "Counterparty, as served; a UUID where it is the id",
    },
    {
      name: "payer_address",
      type: "text",
      comment: "Who has to post; EVM in lower case, others as served",
    },
    { name: "required", type: "double", unit: "as served", comment: "Margin required" },
    {
      name: "required_digits",
      type: "text",
      unit: "as served",
      comment: "Margin required, every digit as served",
    },
    {
      name: "required_unit",
      type: "text",
      comment: "`USD` where the name of the field says so; null where the service tells no unit",
    },
    { name: "posted", type: "double", unit: "as served", comment: "Margin posted" },
    {
      name: "posted_digits",
      type: "text",
      unit: "as served",
      comment: "Margin posted, every digit as served",
    },
    {
      name: "posted_unit",
      type: "text",
      comment: "`USD` where the name of the field says so; null where the service tells no unit",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select otc_counterparty_id, payer_address, required from core.otc_margin_requirements where is_current",
}

const requiredNames = usdFirst(
  spellings(
    "required_usd",
    "required_margin_usd",
    "margin_required_usd",
    "margin_requirement_usd",
    "required",
    "required_margin",
    "margin_required",
    "margin_requirement",
  ),
)
const postedNames = usdFirst(
  spellings(
    "posted_usd",
    "posted_margin_usd",
    "margin_posted_usd",
    "posted",
    "posted_margin",
    "margin_posted",
  ),
)

/** One row a requirement; all there are, so that those missing have ended. */
export const otcMarginRequirementRows = (
  records: ReadonlyArray<JsonObject>,
  { origin }: Source<null>,
): Result.Result<MappedAnswer, Violation> => {
  const idFields = ["id", "requirement_id", "requirementId"] as const
  const { rows, drift } = mapTaken({
    table: otcMarginRequirements,
    records,
    origin,
    readings: {
      requirement_id: [served(...idFields), digits(...idFields)],
      payer_address: address("payer", "payer_address"),
      required: double(...requiredNames),
      required_digits: digits(...requiredNames),
      required_unit: unitNamed(requiredNames),
      posted: double(...postedNames),
      posted_digits: digits(...postedNames),
      posted_unit: unitNamed(postedNames),
    },
    computed: { requirement_id: contentKeys(records, idFields) },
  })
  return Result.succeed(together({ rows: { ...rows, scope: {} }, drift }))
}
