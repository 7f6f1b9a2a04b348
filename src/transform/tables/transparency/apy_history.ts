// core.apy_history: daily APY of every vault, raw and smoothed side by side.
import type { Table } from "../../../domain/table.ts"
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
