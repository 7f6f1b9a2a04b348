// Performance fees (§4.4): the year and the month to date, and the ranges the configuration names.
import { endOfDay, formatDay, startOfDay } from "../../domain/time.ts"
import { performanceFees as endpoint } from "../../extract/endpoints/vaults/performance_fees.ts"
import {
  performanceFeeRows,
  performanceFees,
} from "../../transform/tables/vaults/performance_fees.ts"
import { snapshot } from "../walks/snapshot.ts"
import { vaults } from "../walks/targets.ts"

// The service's own defaults (§4.4, §8), sent so that the rows say what they were asked with.
const asked = { annualizedFeesPct: 20, nativeDenominated: true }

export const performanceFeesPipeline = snapshot({
  name: "performance_fees",
  title: "Performance fees",
  tables: [performanceFees],
  endpoint,
  targets: vaults,
  questions: ({ served }, { performanceFeeRanges }) => [
    ...(["YearToDate", "MonthToDate"] as const).map((calculationPeriod) => ({
      window: calculationPeriod,
      inputs: { vault: served, calculationPeriod, ...asked },
    })),
    ...performanceFeeRanges.map(({ start, end }) => ({
      window: `${formatDay(start)}..${formatDay(end)}`,
      inputs: { vault: served, startDate: startOfDay(start), endDate: endOfDay(end), ...asked },
    })),
  ],
  rows: performanceFeeRows,
})
