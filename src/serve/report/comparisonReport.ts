// The report that compares vaults over a period: what the page `/compare` shows, as one file.
import * as Effect from "effect/Effect"
import { UsageError } from "../../domain/UsageError.ts"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import type { PublishedCopy } from "../../pipelines/readers/published.ts"
import { comparisonCharts, comparisonTable } from "../comparison/comparison.ts"
import { readComparison } from "../comparison/readComparison.ts"
import { html, name } from "../html/html.ts"
import { readPeriodFigures } from "../periodFigures.ts"
import { dayOf } from "../periods/period.ts"
import { keyOf, readOverview, vaultName } from "../vaults.ts"
import { chosenVaults, readReportPeriod, type ReportOptions } from "./readReport.ts"
import { reportDocument } from "./reportDocument.ts"

/** The whole file, and the number of its vaults. */
export const comparisonReport = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  options: ReportOptions,
) {
  const { data, from: fromAt, to: toAt } = yield* readReportPeriod(copy, options)
  const period = {
    from: dayOf(fromAt),
    to: dayOf(toAt - 1),
    days: (toAt - fromAt) / MILLIS_PER_DAY,
  }
  const figures = yield* readPeriodFigures(copy, period)
  const chosen = chosenVaults(yield* readOverview(copy), options.vaults)
  if (chosen.every((vault) => Number(figures.get(keyOf(vault))?.["days"] ?? 0) === 0)) {
    return yield* new UsageError({
      why: `There are no figures from ${period.from} to ${period.to}.`,
      advice: "`vaulthouse status` shows how far the history goes.",
    })
  }
  const pictures = yield* readComparison(copy, chosen, { fromAt, toAt })
  const page = reportDocument(
    `Vaults compared, ${period.from} to ${period.to}`,
    html`Days are UTC; ${data}.`,
    html`${comparisonTable(
      chosen.map((vault) => ({ vault, figures: figures.get(keyOf(vault)) })),
      period,
      (vault) =>
        html`${name(vaultName(vault))}
          <span class="chain">chain ${String(vault["chain_id"])}</span>`,
    )}
    ${comparisonCharts(pictures, chosen, { fromAt, toAt })}`,
  )
  return { page, vaults: chosen.length }
})
