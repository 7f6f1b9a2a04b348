// Figures that a vault's record and its own page report beside the description (§2.10 names none of them).
import type { Column } from "../../domain/table.ts"

export const reportedFigures: ReadonlyArray<Column> = [
  {
    name: "latest_reported_tvl",
    type: "double",
    unit: "as served",
    fields: ["latest_reported_tvl", "latestReportedTvl"],
    comment: "Total value locked as last reported",
  },
  {
    name: "reported_apy",
    type: "json",
    fields: ["reported_apy", "reportedApy"],
    comment: "Reported APY and its parts, as served (fractions)",
  },
  {
    name: "historical_apy",
    type: "json",
    fields: ["historical_apy", "historicalApy"],
    comment: "Map of days to APY, as served",
  },
]
