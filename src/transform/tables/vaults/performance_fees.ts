// core.performance_fees: performance fees of each vault over a period.
import { boolean, date, documented, double, text } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import { dayOf, formatDay } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { Violation } from "../../../domain/wire/violation.ts"
import { echoedFields } from "../../fields/echoedFields.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { chainId, restOfRecord, vaultAddress } from "../shared.ts"

export const performanceFees: Table = {
  schema: "core",
  name: "performance_fees",
  mode: "slowly_changing",
  grain: "vault, period, denomination, annualized percentage and version",
  comment: "Performance fees by period. Those of a period to date grow; each change is a version.",
  source: "GET /metrics/vault_performance_fees (§4.4, §2.9)",
  key: [
    "vault_address",
    "calculation_period",
    "range",
    "is_native_denominated",
    "annualized_fees_pct",
  ],
  columns: [
    vaultAddress,
    chainId,
    text("calculation_period", "`YearToDate`, `MonthToDate`, or `Custom` for a configured range", {
      required: true,
    }),
    text("range", "Days of a custom range, `2026-01-01..2026-01-31`; `-` for a period to date", {
      required: true,
    }),
    boolean(
      "is_native_denominated",
      "Whether the fees are in the vault's asset (nativeDenominated)",
      { required: true },
    ),
    double(
      "annualized_fees_pct",
      "Annualized percentage of the request (annualizedFeesPct); the service's default is 20",
      { unit: "percent", required: true },
    ),
    date("range_start", "First day of a custom range"),
    date("range_end", "Last day of a custom range"),
    documented.double("total_perf_fees_asset", "Performance fees of the period", {
      plausible: { from: 0 },
      unit: "the vault's asset where native denominated",
    }),
    ...restOfRecord,
  ],
  example:
    "select vault_address, calculation_period, total_perf_fees_asset, valid_from from core.performance_fees where is_current",
}

/** The period comes from the inputs. */
export const performanceFeeRows = (
  record: JsonObject,
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { inputs, subject } = source
  const { startDate, endDate, calculationPeriod } = inputs
  const days =
    typeof startDate === "number" && typeof endDate === "number"
      ? { start: dayOf(startDate), end: dayOf(endDate) }
      : undefined
  const period = typeof calculationPeriod === "string" ? calculationPeriod : "YearToDate"
  return combined(
    mapRecords({
      table: performanceFees,
      records: [record],
      source,
      computed: {
        vault_address: subject.address,
        chain_id: subject.chainId,
        calculation_period: days === undefined ? period : "Custom",
        range: days === undefined ? "-" : `${formatDay(days.start)}..${formatDay(days.end)}`,
        is_native_denominated: inputs["nativeDenominated"] !== false,
        annualized_fees_pct: Number(inputs["annualizedFeesPct"] ?? 20),
        range_start: days?.start ?? null,
        range_end: days?.end ?? null,
      },
      consumed: echoedFields(record, subject),
      at: () => "$",
    }),
  )
}
