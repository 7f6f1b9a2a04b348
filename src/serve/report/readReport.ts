// Reads the data of a report: figures of a period and of the previous period, and the series of its charts.
import * as Effect from "effect/Effect"
import { formatInstant, MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { type PublishedCopy, sqlFile } from "../../pipelines/readers/published.ts"
import { readSeries } from "../api/series.ts"
import { type Chart, charts, type Series } from "../charts/charts.ts"
import type { Row } from "../html/columns.ts"
import { dayOf } from "../periods/period.ts"
import { keyOf, type Overview, readOverview, type Vault } from "../vaults.ts"

// About as many as a chart has pixels; more would not be visible.
const BUCKETS = 600

export interface ReportOptions {
  /** Addresses; if empty, all vaults. */
  readonly vaults: ReadonlyArray<string>
  /** The length of the period. */
  readonly days: number
  /** The last day of the period, in milliseconds since 1970; if absent, the last complete day. */
  readonly lastDay: number | undefined
  /** The instant, in microseconds since 1970, at which this was known; absent for what is known now. */
  readonly asOf?: number | undefined
}

export interface VaultReport {
  readonly vault: Vault
  readonly period: Row | undefined
  readonly before: Row | undefined
  readonly charts: ReadonlyArray<readonly [Chart, Series]>
}

export interface Report {
  /** The newest run, and when this was known if that is not now. */
  readonly data: string
  /** The period, whose end is exclusive, and the beginning of the previous period; in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly before: number
  /** Sorted by their worst trouble, the most severe first. */
  readonly vaults: ReadonlyArray<VaultReport>
}

export const readReport = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { vaults, days, lastDay, asOf }: ReportOptions,
) {
  const { data, from, to } = yield* readReportPeriod(copy, { days, lastDay, asOf })
  const before = from - days * MILLIS_PER_DAY
  const figures = yield* copy.rows(sqlFile("serve", "report_figures"), {
    before_on: dayOf(before),
    from_on: dayOf(from),
    to_on: dayOf(to),
  })
  if (lastDay !== undefined && figures.length === 0) {
    return yield* new UsageError({
      why: `There are no figures from ${dayOf(before)} to ${dayOf(to - 1)}.`,
      advice: "`vaulthouse status` shows how far the history goes.",
    })
  }
  const chosen = chosenVaults(yield* readOverview(copy), vaults)
  const figuresOf = (vault: Row, isPeriod: boolean) =>
    figures.find((row) => keyOf(row) === keyOf(vault) && row["is_period"] === isPeriod)
  const read = Effect.fnUntraced(function* (vault: Vault) {
    const drawn = yield* Effect.forEach(charts, (chart) =>
      Effect.map(
        readSeries(copy, chart.series, vault, { from: before, to, buckets: BUCKETS }),
        (series) => [chart, series] as const,
      ),
    )
    return {
      vault,
      period: figuresOf(vault, true),
      before: figuresOf(vault, false),
      charts: drawn,
    } satisfies VaultReport
  })
  return {
    data,
    from,
    to,
    before,
    vaults: yield* Effect.forEach(chosen, read),
  } satisfies Report
})

/** The period of a report, whose end is exclusive, in milliseconds since 1970; and what data it is of. */
export const readReportPeriod = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { days, lastDay, asOf }: Pick<ReportOptions, "days" | "lastDay" | "asOf">,
) {
  const [source] = yield* copy.rows(sqlFile("serve", "report_source"))
  const newest = Date.parse(String(source?.["last_day"]))
  const last = lastDay ?? newest
  if (last > newest) {
    return yield* new UsageError({
      why: `${dayOf(last)} is not complete in the published copy.`,
      advice: `The last complete day is ${dayOf(newest)}.`,
    })
  }
  const to = last + MILLIS_PER_DAY
  const from = to - days * MILLIS_PER_DAY
  const known = asOf === undefined ? "" : `, as it was known at ${formatInstant(asOf)}`
  return { data: `data of run ${String(source?.["run_id"] ?? "")}${known}`, from, to }
})

/** The vaults with these addresses, or all; those in trouble first. */
export const chosenVaults = (
  { vaults: all }: Overview,
  vaults: ReportOptions["vaults"],
): ReadonlyArray<Vault> =>
  all.filter((vault: Row) => vaults.length === 0 || vaults.includes(String(vault["vault_address"])))
