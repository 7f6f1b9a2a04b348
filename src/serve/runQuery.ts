// Runs a reader's query in a process of its own, with limits on time, rows and size; it is stopped when the client
// disconnects.
import { open } from "node:fs/promises"
import { Readable } from "node:stream"
import type { Json } from "@duckdb/node-api"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { LatestCopy, Publication } from "../pipelines/readers/latestCopy.ts"
import { type QueryResult, ReadError, type Reader } from "../pipelines/readers/published.ts"

export interface Limits {
  readonly seconds: number
  readonly rows: number
}

/** The copy that queries run on, and their limits. */
export interface QueryContext {
  readonly latest: LatestCopy
  readonly limits: Limits
}

export interface LimitedResult {
  readonly publication: Publication
  readonly columns: QueryResult["columns"]
  readonly rows: ReadonlyArray<ReadonlyArray<Json>>
  /** The limit that cut the result short. */
  readonly cutBy: "rows" | "size" | undefined
  readonly millis: number
}

/** A result is held in memory until it is sent: its values, and the text that is made of them, have at most this. */
export const MAX_BYTES = 32_000_000

export const firstRowTooLarge = new ReadError({
  why: `The first row is larger than ${MAX_BYTES / 1e6} MB, the limit of a result.`,
  advice: "Select less of it.",
})

export const runQuery = ({ latest, limits }: QueryContext, sql: string) =>
  limitedRead(
    latest,
    limits,
  )((reader, publication) =>
    Effect.gen(function* () {
      const began = performance.now()
      const found = yield* reader.query(
        sql,
        {},
        async ({ columns, rows, isCut }) => {
          const { kept, isFull } = await upTo(rows, limits.rows)
          return { columns, rows: kept, cutBy: cutBy(isFull, isCut()) }
        },
        MAX_BYTES,
      )
      if (found.cutBy === "size" && found.rows.length === 0) {
        return yield* firstRowTooLarge
      }
      return { publication, ...found, millis: performance.now() - began } satisfies LimitedResult
    }),
  )

const cutBy = (isFull: boolean, isTooLarge: boolean): LimitedResult["cutBy"] =>
  isFull ? "rows" : isTooLarge ? "size" : undefined

/** Returns the result as a Parquet file, and its number of rows, which is at most the limit. */
export const runQueryToParquet = ({ latest, limits }: QueryContext, sql: string) =>
  limitedRead(
    latest,
    limits,
  )((reader) =>
    reader.exportParquet(sql, limits.rows, async (file, rows) => {
      // It stays readable after its name is removed.
      const handle = await open(file)
      return { content: Readable.toWeb(handle.createReadStream()) as ReadableStream, rows }
    }),
  )

/** All readers were in use for as long as a query may wait. */
export class BusyError extends ReadError {}

// By then, those that run have ended, and those that came next have begun.
const TIMES_TO_WAIT = 2

/** The time that a query may take begins when it has a reader. */
const limitedRead =
  (latest: LatestCopy, { seconds }: Limits) =>
  <A, E>(use: (reader: Reader, publication: Publication) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const query = latest.query((reader, publication) =>
        Effect.andThen(Deferred.succeed(begun, undefined), use(reader, publication)).pipe(
          within(seconds, () => stopped(seconds)),
        ),
      )
      const wait = TIMES_TO_WAIT * seconds
      const tooLong = Deferred.await(begun).pipe(
        within(wait, () => busy(wait)),
        Effect.andThen(Effect.never),
      )
      return yield* Effect.raceFirst(query, tooLong)
    })

/** A page that computes many marts is like the queries of readers, which must have their turn after some time. */
const TIMES_A_QUERY = 10

/** For pages that compute what is not stored: pages of what is stored don't wait for them. */
export const computedRead = (latest: LatestCopy, limits: Limits) =>
  limitedRead(latest, { ...limits, seconds: TIMES_A_QUERY * limits.seconds })

const within = <E>(seconds: number, error: () => E) =>
  Effect.timeoutOrElse({ duration: seconds * 1000, orElse: () => Effect.fail(error()) })

const stopped = (seconds: number) =>
  new ReadError({
    why: `The query was stopped after ${seconds} s.`,
    advice: "Narrow it to a vault or some days; `vaulthouse serve --timeout` allows more.",
  })

const busy = (seconds: number) =>
  new BusyError({
    why: `The server is busy: this query waited ${seconds} s for others to end, and did not run.`,
    advice: "Try again in a moment.",
  })

/** `isFull` if there are more rows than `maxRows`. */
const upTo = async (rows: QueryResult["rows"], maxRows: number) => {
  const kept: Array<ReadonlyArray<Json>> = []
  for await (const batch of rows) {
    const free = maxRows - kept.length
    for (const row of batch.slice(0, free)) kept.push(row)
    if (batch.length > free) return { kept, isFull: true }
  }
  return { kept, isFull: false }
}
