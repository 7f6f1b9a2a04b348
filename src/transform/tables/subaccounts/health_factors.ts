// core.health_factors: every observed calculation of a subaccount's health factor.
import { documented } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { SubaccountRef } from "../../../domain/subject/subaccount.ts"
import type { Table } from "../../../domain/table/table.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { id } from "../../fields/readers.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
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
    documented.text("health_factor_id", "Unique id of the calculation", {
      names: ["id"],
      read: id,
      required: true,
    }),
    documented.timestamp("calculated_at", "When the service calculated it", {
      names: ["dateTime", "datetime", "date_time"],
      required: true,
    }),
    documented.double("health_factor", "Health factor; liquidation is possible below 1.0", {
      names: ["healthFactor", "health_factor"],
      range: { from: 0 },
      unit: "ratio",
    }),
    documented.double("total_collateral", "Collateral that counts", {
      names: ["totalCollateral", "total_collateral", "total_collateral_value"],
      plausible: { from: 0 },
      unit: "USD",
    }),
    documented.double("total_loan", "Debt that the collateral secures", {
      names: ["totalLoan", "total_loan", "total_loan_value"],
      plausible: { from: 0 },
      unit: "USD",
    }),
    extra,
  ],
  example:
    "select subaccount_address, arg_max(health_factor, calculated_at) as health_factor from core.health_factors group by subaccount_address order by health_factor",
}

export const healthFactorRows = (
  record: JsonObject,
  source: Source<SubaccountRef>,
): Result.Result<MappedResponse, Violation> =>
  combined(
    mapRecords({
      table: healthFactors,
      records: [record],
      source,
      computed: { subaccount_address: source.subject.address },
      at: () => "$",
    }),
  )
