// What a report shows: figures of a period and of the previous period, and the series of its charts.
import * as Effect from "effect/Effect"
import {
  parametersIn,
  type PublishedCopy,
  type QueryParameters,
  sqlFile,
} from "../../pipelines/readers/published.ts"
import { NotThere } from "../../pipelines/readers/NotThere.ts"
import { type Overview, readOverview } from "../pages/overview.ts"

type Row = Readonly<Record<string, unknown>>

const DAY_MILLIS = 86_400_000
const HOUR_SECONDS = 3600
// More than a chart has pixels would show nothing more.
const BUCKETS = 600

export interface ReportOptions {
  /** Their addresses; all vaults where empty. */
  readonly vaults: ReadonlyArray<string>
  /** How many days the period has. */
  readonly days: number
  /** The last day, as milliseconds since 1970; the newest that is over where absent. */
  readonly lastDay: number | undefined
}

const series = ["ratio", "apy", "pnl", "allocation", "buffer"] as const

export interface VaultReport {
  readonly vault: Overview["vaults"][number]
  readonly period: Row | undefined
  readonly before: Row | undefined
  readonly series: Readonly<Record<(typeof series)[number], ReadonlyArray<Row>>>
}

export interface Report {
  readonly runId: string
  /** Milliseconds since 1970: the period, whose end is exclusive, and the beginning of the previous period. */
  readonly from: number
  readonly to: number
  readonly before: number
  readonly bucketMillis: number
  /** Those with the worst trouble first. */
  readonly vaults: ReadonlyArray<VaultReport>
}

export const readReport = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { vaults, days, lastDay }: ReportOptions,
) {
  const newest = yield* newestDay(copy)
  const last = lastDay ?? newest
  if (last > newest) {
    return yield* new NotThere({
      why: `${dayOf(last)} is not over in what is published.`,
      advice: `The newest day that is over is ${dayOf(newest)}.`,
    })
  }
  const to = last + DAY_MILLIS
  const from = to - days * DAY_MILLIS
  const before = from - days * DAY_MILLIS
  const figures = yield* copy.rows(sqlFile("serve", "report_figures"), {
    before_on: dayOf(before),
    from_on: dayOf(from),
    to_on: dayOf(to),
  })
  if (lastDay !== undefined && figures.length === 0) {
    return yield* new NotThere({
      why: `There are no figures from ${dayOf(before)} to ${dayOf(last)}.`,
      advice: "`vaulthouse status` shows how far the history goes.",
    })
  }
  const [newestRun] = yield* copy.rows(sqlFile("serve", "report_run"))
  const overview = yield* readOverview(copy)
  const chosen = overview.vaults.filter(
    (vault: Row) => vaults.length === 0 || vaults.includes(String(vault["vault_address"])),
  )
  const hours = Math.max(1, Math.ceil((2 * days * 24) / BUCKETS))
  const figuresOf = (vault: Row, isPeriod: boolean) =>
    figures.find(
      (row) => row["vault_address"] === vault["vault_address"] && row["is_period"] === isPeriod,
    )
  const read = (vault: Overview["vaults"][number]) => {
    const parameters: QueryParameters = {
      chain_id: Number(vault["chain_id"]),
      vault_address: String(vault["vault_address"]),
      from_at: { micros: before * 1000 },
      to_at: { micros: to * 1000 },
      width_seconds: hours * HOUR_SECONDS,
    }
    return Effect.map(
      Effect.forEach(series, (name) => {
        const sql = sqlFile("serve", `series_${name}`)
        return Effect.map(copy.rows(sql, parametersIn(sql, parameters)), (rows) => [name, rows])
      }),
      (found): VaultReport => ({
        vault,
        period: figuresOf(vault, true),
        before: figuresOf(vault, false),
        series: Object.fromEntries(found) as VaultReport["series"],
      }),
    )
  }
  return {
    runId: String(newestRun?.["run_id"] ?? ""),
    from,
    to,
    before,
    bucketMillis: hours * HOUR_SECONDS * 1000,
    vaults: yield* Effect.forEach(chosen, read),
  } satisfies Report
})

export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const newestDay = (copy: PublishedCopy) =>
  Effect.map(copy.rows(sqlFile("serve", "report_days")), ([row]) =>
    Date.parse(String(row?.["last_day"])),
  )
