// `/api/vault/…/series/…`: points of a vault between two instants, in no more buckets than a chart has pixels.
import * as Effect from "effect/Effect"
import { NotThere } from "../../pipelines/readers/NotThere.ts"
import {
  parametersIn,
  type QueryParameters,
  ReadError,
  sqlFile,
} from "../../pipelines/readers/published.ts"
import type { Site } from "../site.ts"

/** Each is `warehouse/serve/series_<name>.sql`. */
const names = ["ratio", "pnl", "apy", "allocation", "buffer"]

export interface SeriesRequest {
  readonly chainId: string
  readonly vaultAddress: string
  readonly series: string
  /** ISO-8601; the whole series without them. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** How many at most; each keeps its lowest and highest value. */
  readonly buckets: string | undefined
}

const DEFAULT_BUCKETS = 1000
const MOST_BUCKETS = 5000
const HOUR_SECONDS = 3600

const ADVICE = "docs/web-page.md describes the API."

const invalid = (why: string) => new ReadError({ why, advice: ADVICE })

/** Columns as lists, which is what charts take. */
export const readSeries = Effect.fnUntraced(function* ({ latest }: Site, request: SeriesRequest) {
  const { series, vaultAddress: vault_address, chainId } = request
  if (!names.includes(series)) {
    const why = `There is no series ${series}; there are ${names.join(", ")}.`
    return yield* new NotThere({ why, advice: ADVICE })
  }
  const buckets = Number(request.buckets ?? DEFAULT_BUCKETS)
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > MOST_BUCKETS) {
    return yield* invalid(`buckets is a number from 1 to ${MOST_BUCKETS}.`)
  }
  return yield* latest.read((copy, publication) =>
    Effect.gen(function* () {
      const [span] = yield* copy.rows(sqlFile("serve", "series_span"), { vault_address })
      const from = yield* millisOf("from", request.from ?? span?.["from_at"])
      // The end is exclusive, and the newest point belongs to the series.
      const to =
        request.to === undefined
          ? (yield* millisOf("to", span?.["to_at"])) + HOUR_SECONDS * 1000
          : yield* millisOf("to", request.to)
      const hours = Math.max(1, Math.ceil((to - from) / 1000 / HOUR_SECONDS / buckets))
      const parameters: QueryParameters = {
        chain_id: Number(chainId),
        vault_address,
        from_at: { micros: from * 1000 },
        to_at: { micros: to * 1000 },
        width_seconds: hours * HOUR_SECONDS,
      }
      const sql = sqlFile("serve", `series_${series}`)
      const rows = yield* copy.rows(sql, parametersIn(sql, parameters))
      return {
        run_id: publication.runId,
        series,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        bucket_seconds: hours * HOUR_SECONDS,
        columns: columnsOf(rows),
      }
    }),
  )
})

const millisOf = (name: string, value: unknown): Effect.Effect<number, ReadError> => {
  if (value === null || value === undefined) return Effect.succeed(0)
  const millis = Date.parse(String(value))
  return Number.isNaN(millis)
    ? Effect.fail(
        invalid(`${name}=${String(value)} is not an instant such as 2026-05-01T03:00:00Z.`),
      )
    : Effect.succeed(millis)
}

const columnsOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((column) => [column, rows.map((row) => row[column])]),
  )
