// core.health_factors: every calculation of a subaccount's health factor that was seen.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { SubaccountRef } from "../../../domain/subaccount.ts"
import type { Table } from "../../../domain/table.ts"
import { parseInstant } from "../../../domain/time.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { extra, subaccountAddress } from "../shared.ts"

export const healthFactors: Table = {
  schema: "core",
  name: "health_factors",
  mode: "history",
  grain: "subaccount and calculation",
  comment:
    "Health factors of subaccounts. Above 1.5 healthy, 1.2 to 1.5 moderate risk, 1.0 to 1.2 high risk, below 1.0 critical (§2.3).",
  source: "GET /subaccounts/health_factor (§4.3, §2.3)",
  key: ["subaccount_address", "health_factor_id", "calculated_at"],
  time: "calculated_at",
  columns: [
    subaccountAddress,
    {
      name: "health_factor_id",
      type: "text",
      required: true,
      fields: ["id"],
      comment: "Unique id of the calculation",
    },
    {
      name: "calculated_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When the service calculated it",
    },
    {
      name: "health_factor",
      type: "double",
      unit: "ratio",
      required: true,
      fields: ["healthFactor"],
      comment: "Health factor; liquidation is possible below 1.0",
    },
    {
      name: "total_collateral",
      type: "double",
      unit: "USD",
      required: true,
      fields: ["totalCollateral"],
      comment: "Collateral that counts",
    },
    {
      name: "total_loan",
      type: "double",
      unit: "USD",
      required: true,
      fields: ["totalLoan"],
      comment: "Debt it stands against",
    },
    extra,
  ],
  example:
    "select subaccount_address, arg_max(health_factor, calculated_at) as health_factor from core.health_factors group by subaccount_address order by health_factor",
}

/** One row. Fails when the time of the calculation can't be read. */
export const healthFactorRows = (
  record: JsonObject,
  { origin, subject }: Source<SubaccountRef>,
): Result.Result<MappedAnswer, Violation> => {
  const calculatedAt = parseInstant(record["dateTime"])
  if (calculatedAt === undefined) {
    return Result.fail({
      path: "$.dateTime",
      detail: `is not an instant: ${JSON.stringify(record["dateTime"])}`,
    })
  }
  return Result.succeed(
    together(
      mapRecords({
        table: healthFactors,
        records: [record],
        origin,
        computed: { subaccount_address: subject.address, calculated_at: calculatedAt },
        consumed: ["dateTime"],
      }),
    ),
  )
}
