// core.apy_history: daily APY of every vault, raw and smoothed side by side.
import * as Result from "effect/Result"
import type { Table } from "../../../domain/table.ts"
import { parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, vaultAddress } from "../shared.ts"

export const apyHistory: Table = {
  schema: "core",
  name: "apy_history",
  mode: "history",
  grain: "vault, day, smoothing and averaging window",
  comment:
    "Daily APY as published. Smoothed values are a rolling median/mean of the service's own, so its tail is revised for two windows.",
  source: "GET /platform/historical_apy/chart (§4.1, §2.9)",
  key: ["vault_address", "date", "is_smoothed", "averaging_period_days"],
  time: "date",
  columns: [
    vaultAddress,
    chainId,
    { name: "date", type: "date", unit: "UTC day", required: true, comment: "Day of the value" },
    {
      name: "is_smoothed",
      type: "boolean",
      required: true,
      comment: "Whether the service smoothed the series (applySmoothing)",
    },
    {
      name: "averaging_period_days",
      type: "integer",
      unit: "days",
      required: true,
      comment: "Averaging window asked for (averagingPeriodDays)",
    },
    {
      name: "apy",
      type: "double",
      unit: "fraction",
      comment: "Annualized yield; 0.0245 is 2.45%",
    },
  ],
  example: "select date, apy from core.apy_history where is_smoothed order by date desc limit 30",
}

/** What the service was asked to do to the series; part of the key. */
export interface ApySeries {
  readonly smoothing: boolean
  readonly averagingPeriodDays: number
}

/** One row a label of the series the inputs tell. Fails on a label that is no date. */
export const apyHistoryRows = (
  chart: { readonly labels: ReadonlyArray<string>; readonly values: ReadonlyArray<number> },
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const days: Array<number> = []
  for (const [index, label] of chart.labels.entries()) {
    const day = parseDay(label)
    if (day === undefined) {
      return Result.fail({
        path: `$.labels[${index}]`,
        detail: `is no date: ${JSON.stringify(label)}; expected M/D/YYYY`,
      })
    }
    days.push(day)
  }
  return Result.succeed(
    together(
      mapRecords({
        table: apyHistory,
        records: days.map(() => ({})),
        origin: source.origin,
        computed: {
          vault_address: source.subject.address,
          chain_id: source.subject.chainId,
          date: days,
          is_smoothed: source.inputs["applySmoothing"] === true,
          averaging_period_days: Number(source.inputs["averagingPeriodDays"]),
          apy: chart.values,
        },
      }),
    ),
  )
}
