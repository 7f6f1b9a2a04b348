// core.otc_margin_requirements: what OTC counterparties and payers have to post.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { Violation } from "../../../domain/violation.ts"
import { contentKeys } from "../../contentKey.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { address, digits, double, mapTaken, served } from "../../takenFields.ts"
import { extra, reportedAt } from "../shared.ts"

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
      fields: ["otc_counterparty_id", "otcCounterpartyId", "counterparty_id", "counterpartyId"],
      comment: "Counterparty (UUID)",
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
    { name: "posted", type: "double", unit: "as served", comment: "Margin posted" },
    {
      name: "posted_digits",
      type: "text",
      unit: "as served",
      comment: "Margin posted, every digit as served",
    },
    reportedAt,
    extra,
  ],
  example:
    "select otc_counterparty_id, payer_address, required from core.otc_margin_requirements where is_current",
}

const requiredNames = ["required_usd", "required_margin", "margin_requirement", "required"] as const
const postedNames = ["posted_usd", "posted_margin", "posted"] as const

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
      posted: double(...postedNames),
      posted_digits: digits(...postedNames),
    },
    computed: { requirement_id: contentKeys(records, idFields) },
  })
  return Result.succeed(together({ rows: { ...rows, scope: {} }, drift }))
}
