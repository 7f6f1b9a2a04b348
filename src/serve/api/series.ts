// `/api/vault/…/series/…`: returns the points of a vault between two instants, in no more buckets than a chart has
// pixels.
import * as Effect from "effect/Effect"
import { MICROS_PER_MILLI, MILLIS_PER_HOUR, SECONDS_PER_HOUR } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import type { QueryParameters } from "../../domain/values/queryParameter.ts"
import { type PublishedCopy, ReadError, sqlFile } from "../../pipelines/readers/published.ts"
import { charts, type Series } from "../charts/charts.ts"
import { instantOf } from "../html/pastState.ts"
import type { Site } from "../site.ts"
import { findVault } from "../vaults.ts"

export interface SeriesRequest {
  readonly chain: string
  readonly address: string
  readonly series: string
  /** Days or instants, UTC unless they have an offset; without them, the whole series. */
  readonly from?: string
  readonly to?: string
  /** The maximum number; each bucket keeps its lowest and highest value. */
  readonly buckets?: string
}

const DEFAULT_BUCKETS = 1000
const MAX_BUCKETS = 5000

const ADVICE = "docs/web-page.md describes the API."

const invalid = (why: string) => new ReadError({ why, advice: ADVICE })

/** Returns each column as a list, as charts expect. */
export const seriesResponse = Effect.fnUntraced(function* (site: Site, request: SeriesRequest) {
  const { series, chain, address } = request
  const names = charts.map((chart) => chart.series)
  if (!names.includes(series)) {
    const why = `There is no series ${series}; there are ${names.join(", ")}.`
    return yield* new UsageError({ why, advice: ADVICE })
  }
  const vault = yield* findVault(yield* site.overview, chain, address)
  const buckets = Number(request.buckets ?? DEFAULT_BUCKETS)
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > MAX_BUCKETS) {
    return yield* invalid(
      `buckets=${String(request.buckets)} is not a number from 1 to ${MAX_BUCKETS}.`,
    )
  }
  return yield* site.latest.read((copy, publication) =>
    Effect.gen(function* () {
      const vault_address = String(vault["vault_address"])
      const [span] = yield* copy.rows(sqlFile("serve", "series_span"), { vault_address })
      const begin = yield* millisOf("from", request.from)
      const end = yield* millisOf("to", request.to)
      // Who waits for new points asks for a period that has none yet.
      const from =
        begin ?? Math.min(spanEnd(span?.["from_at"]), (end ?? Infinity) - MILLIS_PER_HOUR)
      // The end is exclusive, so it is one hour after the newest point.
      const to = end ?? Math.max(spanEnd(span?.["to_at"]), from) + MILLIS_PER_HOUR
      if (from >= to) {
        return yield* invalid(`from=${iso(from)} is not before to=${iso(to)}.`)
      }
      const { bucketSeconds, columns } = yield* readSeries(copy, series, vault, {
        from,
        to,
        buckets,
      })
      return {
        run_id: publication.runId,
        series,
        from: iso(from),
        to: iso(to),
        bucket_seconds: bucketSeconds,
        columns,
      }
    }),
  )
})

const iso = (millis: number): string => new Date(millis).toISOString()

/** A vault without points has none. */
const spanEnd = (at: unknown): number => (typeof at === "string" ? Date.parse(at) : 0)

/** Without an offset an instant is UTC, as everywhere, and not of this machine's time zone. */
const millisOf = (
  name: string,
  text: string | undefined,
): Effect.Effect<number | undefined, ReadError> => {
  if (text === undefined) return Effect.succeed(undefined)
  const micros = instantOf(text)
  return micros === undefined
    ? Effect.fail(invalid(`${name}=${text} is not an instant such as 2026-05-01T03:00:00Z.`))
    : Effect.succeed(Math.floor(micros / MICROS_PER_MILLI))
}

/** Runs `warehouse/serve/series_<name>.sql` for a period in milliseconds since 1970, whose end is exclusive. */
export const readSeries = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  name: string,
  vault: Readonly<Record<string, unknown>>,
  { from, to, buckets }: { readonly from: number; readonly to: number; readonly buckets: number },
) {
  const hours = Math.max(1, Math.ceil((to - from) / MILLIS_PER_HOUR / buckets))
  const bucketSeconds = hours * SECONDS_PER_HOUR
  const parameters: QueryParameters = {
    chain_id: Number(vault["chain_id"]),
    vault_address: String(vault["vault_address"]),
    from_at: { micros: from * MICROS_PER_MILLI },
    to_at: { micros: to * MICROS_PER_MILLI },
    width_seconds: bucketSeconds,
  }
  const sql = sqlFile("serve", `series_${name}`)
  const rows = yield* copy.rows(sql, parameters)
  // Without rows, a row of nulls has the names of the columns.
  const [named = {}] =
    rows.length > 0
      ? rows
      : yield* copy.rows(
          `select points.* from (select 1) left join (\n${sql}\n) as points on true`,
          parameters,
        )
  return {
    bucketSeconds,
    columns: Object.fromEntries(
      Object.keys(named).map((column) => [column, rows.map((row) => row[column])]),
    ),
  } satisfies Series
})
