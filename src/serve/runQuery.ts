// Runs a reader's query: one SELECT, with limits on time, rows and size, interrupted when the client disconnects.
import { randomUUID } from "node:crypto"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { LatestCopy, Publication } from "../pipelines/readers/latestCopy.ts"
import { type PublishedCopy, type QueryResult, ReadError } from "../pipelines/readers/published.ts"

export interface Limits {
  readonly seconds: number
  readonly rows: number
}

/** The copy that queries run on, and their limits. */
export interface QueryContext {
  readonly latest: LatestCopy
  readonly limits: Limits
  /** Limits the queries running at once to fewer than there are readers, so that some are left for pages. */
  readonly queryPermits: Semaphore.Semaphore
  /** The folder of Parquet files while they are being sent. */
  readonly exportFolder: string
}

export interface LimitedResult {
  readonly publication: Publication
  readonly columns: QueryResult["columns"]
  readonly rows: ReadonlyArray<ReadonlyArray<Json>>
  /** The limit that cut the result short. */
  readonly cutBy: "rows" | "size" | undefined
  readonly millis: number
}

// A result is held in memory until it is sent.
const MAX_CHARACTERS = 32_000_000

export const runQuery = ({ latest, limits, queryPermits }: QueryContext, sql: string) =>
  latest
    .read((copy, publication) =>
      Effect.gen(function* () {
        const began = performance.now()
        yield* onlySelect(copy, sql)
        const found = yield* copy.query(sql, {}, (result) => readLimited(result, limits.rows))
        return { publication, ...found, millis: performance.now() - began } satisfies LimitedResult
      }),
    )
    .pipe(queryPermits.withPermits(1), limited(limits))

/** Returns the result as the bytes of a Parquet file, and its number of rows, which is at most the limit. */
export const runQueryToParquet = (
  { latest, limits, queryPermits, exportFolder }: QueryContext,
  sql: string,
) =>
  latest
    .read((copy) =>
      Effect.gen(function* () {
        yield* onlySelect(copy, sql)
        const file = join(exportFolder, `${randomUUID()}.parquet`)
        const select = sql.trim().replace(/(;\s*)+$/, "")
        return yield* copy
          .rows(
            `COPY (SELECT * FROM (\n${select}\n) LIMIT ${limits.rows}) TO '${file.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd)`,
          )
          .pipe(
            Effect.flatMap(([copied]) =>
              Effect.promise(async () => ({
                bytes: await readFile(file),
                rows: Number(copied?.["Count"]),
              })),
            ),
            Effect.ensuring(Effect.promise(() => rm(file, { force: true }))),
          )
      }),
    )
    .pipe(queryPermits.withPermits(1), limited(limits))

const onlySelect = Effect.fnUntraced(function* (copy: PublishedCopy, sql: string) {
  if (yield* copy.isSelect(sql)) return
  return yield* new ReadError({
    why: "This page runs one SELECT at a time.",
    advice: "WITH, FROM, DESCRIBE, SUMMARIZE and SHOW TABLES work too; nothing that writes does.",
  })
})

const limited =
  ({ seconds }: Limits) =>
  <A, E>(query: Effect.Effect<A, E>) =>
    Effect.timeoutOrElse(query, {
      duration: seconds * 1000,
      orElse: () =>
        Effect.fail(
          new ReadError({
            why: `The query was stopped after ${seconds} s.`,
            advice: "Narrow it to a vault or some days; `vaulthouse serve --timeout` allows more.",
          }),
        ),
    })

const readLimited = async ({ columns, rows }: QueryResult, maxRows: number) => {
  const kept: Array<ReadonlyArray<Json>> = []
  let characters = 0
  let cutBy: LimitedResult["cutBy"]
  reading: for await (const chunk of rows) {
    for (const row of chunk) {
      if (kept.length >= maxRows) cutBy = "rows"
      else if (characters > MAX_CHARACTERS) cutBy = "size"
      if (cutBy !== undefined) break reading
      kept.push(row)
      for (const value of row) characters += typeof value === "string" ? value.length : 8
    }
  }
  return { columns, rows: kept, cutBy }
}
