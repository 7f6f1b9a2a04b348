// core.apy_history: daily APY of every vault, raw and smoothed side by side.
import { boolean, field, integer } from "../../../domain/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const apyHistory: Table = {
  schema: "core",
  name: "apy_history",
  mode: "history",
  grain: "vault, day, smoothing and averaging window",
  comment:
    "Daily APY as published. The service smooths values with a rolling median and mean, so the newest values are revised for two windows.",
  source: "GET /platform/historical_apy/chart (§4.1, §2.9)",
  key: ["vault_address", "date", "is_smoothed", "averaging_period_days"],
  time: "date",
  columns: [
    vaultAddress,
    chainId,
    field.date("date", "Day of the value", { names: ["label"], required: true }),
    boolean("is_smoothed", "Whether the service smoothed the series (applySmoothing)", {
      required: true,
    }),
    integer("averaging_period_days", "Averaging window of the request (averagingPeriodDays)", {
      unit: "days",
      required: true,
    }),
    field.double("apy", "Annualized yield; 0.0245 is 2.45%", {
      names: ["value"],
      unit: "fraction",
    }),
    extra,
  ],
  example: "select date, apy from core.apy_history where is_smoothed order by date desc limit 30",
}

/** A variant of the series, which is part of the key. */
export interface ApySeries {
  readonly smoothing: boolean
  readonly averagingPeriodDays: number
}

/** One row for each label of the series that the inputs name. */
export const apyHistoryRows = (
  chart: JsonObject & {
    readonly labels: ReadonlyArray<unknown>
    readonly values: ReadonlyArray<unknown>
  },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { inputs, subject } = source
  const smoothed = inputs["applySmoothing"] === true
  const days = Number(inputs["averagingPeriodDays"])
  const { labels, values } = chart
  return combined(
    mapRecords({
      table: apyHistory,
      records: labels.map((label, index) => ({ label, value: values[index] })),
      source,
      computed: {
        vault_address: subject.address,
        chain_id: subject.chainId,
        is_smoothed: smoothed,
        averaging_period_days: days,
      },
      at: (row) => `$.labels[${row}]`,
    }),
    envelopeRows(
      "historical_apy_chart",
      chart,
      ["labels", "values"],
      source,
      `${smoothed ? "smoothed" : "unsmoothed"} ${days}d`,
    ),
  )
}
