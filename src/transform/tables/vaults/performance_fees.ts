// core.performance_fees: what each vault earned in performance fees over a period, as last worked out.
import * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { dayOf, formatDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { echoed } from "../../fields/echoed.ts"
import { mapCurrent } from "../../mapCurrent.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, reportedAt, reportedTimes, vaultAddress } from "../shared.ts"

export const performanceFees: Table = {
  schema: "core",
  name: "performance_fees",
  mode: "slowly_changing",
  grain: "vault, period, denomination, annualized percentage and version",
  comment:
    "Performance fees by period. Those of a period to date grow with it; each change is a version.",
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
    {
      name: "calculation_period",
      type: "text",
      required: true,
      comment: "`YearToDate`, `MonthToDate`, or `Custom` for a range of one's own",
    },
    {
      name: "range",
      type: "text",
      required: true,
      comment: "Days of a custom range, `2026-01-01..2026-01-31`; `-` for a period to date",
    },
    {
      name: "is_native_denominated",
      type: "boolean",
      required: true,
      comment: "Whether the fees are in the vault's asset (nativeDenominated)",
    },
    {
      name: "annualized_fees_pct",
      type: "double",
      unit: "percent",
      required: true,
      comment: "Annualized percentage asked for (annualizedFeesPct); the service's default is 20",
    },
    {
      name: "range_start",
      type: "date",
      unit: "UTC day",
      comment: "First day of a custom range",
    },
    { name: "range_end", type: "date", unit: "UTC day", comment: "Last day of a custom range" },
    {
      name: "total_perf_fees_asset",
      type: "double",
      unit: "the vault's asset where native denominated",
      fields: ["total_perf_fees_asset"],
      comment: "Performance fees of the period",
    },
    reportedAt,
    reportedTimes,
    extra,
  ],
  example:
    "select vault_address, calculation_period, total_perf_fees_asset, valid_from from core.performance_fees where is_current",
}

/** The inputs tell the period; nothing in the answer is certain to. */
export const performanceFeeRows = (
  record: JsonObject,
  { origin, subject, inputs }: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const { startDate, endDate, calculationPeriod } = inputs
  const days =
    typeof startDate === "number" && typeof endDate === "number"
      ? { start: dayOf(startDate), end: dayOf(endDate) }
      : undefined
  return Result.succeed(
    together(
      mapCurrent({
        table: performanceFees,
        records: [record],
        origin,
        computed: {
          vault_address: subject.address,
          chain_id: subject.chainId,
          calculation_period:
            days !== undefined
              ? "Custom"
              : typeof calculationPeriod === "string"
                ? calculationPeriod
                : "YearToDate",
          range: days === undefined ? "-" : `${formatDay(days.start)}..${formatDay(days.end)}`,
          is_native_denominated: inputs["nativeDenominated"] !== false,
          annualized_fees_pct: Number(inputs["annualizedFeesPct"] ?? 20),
          range_start: days?.start ?? null,
          range_end: days?.end ?? null,
        },
        consumed: echoed(record, subject),
      }),
    ),
  )
}
