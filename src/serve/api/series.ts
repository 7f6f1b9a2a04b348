// `/api/vault/…/series/…`: returns the points of a vault between two instants, in no more buckets than a chart has
// pixels.
import * as Effect from "effect/Effect"
import { MILLIS_PER_HOUR, SECONDS_PER_HOUR } from "../../domain/values/time.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { parametersIn, type QueryParameters } from "../../domain/values/queryParameter.ts"
import { type PublishedCopy, ReadError, sqlFile } from "../../pipelines/readers/published.ts"
import { charts, type Series } from "../charts/charts.ts"
import type { Site } from "../site.ts"
import { findVault } from "../vaults.ts"

export interface SeriesRequest {
  readonly chain: string
  readonly address: string
  readonly series: string
  /** ISO-8601; without them, the whole series. */
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
      const [span] = yield* copy.rows(sqlFile("serve", "series_span"), { vault_address: address })
      const from = yield* millisOf("from", request.from ?? span?.["from_at"])
      // The end is exclusive, so it is one hour after the newest point.
      const to =
        request.to === undefined
          ? (yield* millisOf("to", span?.["to_at"])) + MILLIS_PER_HOUR
          : yield* millisOf("to", request.to)
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

const millisOf = (name: string, value: unknown): Effect.Effect<number, ReadError> => {
  if (value === null || value === undefined) return Effect.succeed(0)
  const millis = Date.parse(String(value))
  return Number.isNaN(millis)
    ? Effect.fail(
        invalid(`${name}=${String(value)} is not an instant such as 2026-05-01T03:00:00Z.`),
      )
    : Effect.succeed(millis)
}

/** Runs `warehouse/serve/series_<name>.sql` for a period in milliseconds since 1970, whose end is exclusive. */
export const readSeries = (
  copy: PublishedCopy,
  name: string,
  vault: Readonly<Record<string, unknown>>,
  { from, to, buckets }: { readonly from: number; readonly to: number; readonly buckets: number },
): Effect.Effect<Series, ReadError> => {
  const hours = Math.max(1, Math.ceil((to - from) / MILLIS_PER_HOUR / buckets))
  const bucketSeconds = hours * SECONDS_PER_HOUR
  const parameters: QueryParameters = {
    chain_id: Number(vault["chain_id"]),
    vault_address: String(vault["vault_address"]),
    from_at: { micros: from * 1000 },
    to_at: { micros: to * 1000 },
    width_seconds: bucketSeconds,
  }
  const sql = sqlFile("serve", `series_${name}`)
  return Effect.map(copy.rows(sql, parametersIn(sql, parameters)), (rows) => ({
    bucketSeconds,
    columns: Object.fromEntries(
      Object.keys(rows[0] ?? {}).map((column) => [column, rows.map((row) => row[column])]),
    ),
  }))
}
