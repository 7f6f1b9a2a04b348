// Questions of readers, in SQL: one SELECT, with a limit of time, rows and text, stopped when the reader leaves.
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

/** What questions are put to, and under which limits. */
export interface Asking {
  readonly latest: LatestCopy
  readonly limits: Limits
  /** Fewer than there are readers: whatever is asked, pages find one. */
  readonly turns: Semaphore.Semaphore
  /** Where Parquet files lie while they are sent. */
  readonly exportFolder: string
}

export interface Answer {
  readonly publication: Publication
  readonly columns: QueryResult["columns"]
  readonly rows: ReadonlyArray<ReadonlyArray<Json>>
  /** Which limit cut it short. */
  readonly cutBy: "rows" | "size" | undefined
  readonly millis: number
}

// An answer is held in memory until it is written.
const MOST_CHARACTERS = 32_000_000

export const ask = ({ latest, limits, turns }: Asking, sql: string) =>
  latest
    .read((copy, publication) =>
      Effect.gen(function* () {
        const began = performance.now()
        yield* onlySelect(copy, sql)
        const found = yield* copy.query(sql, {}, (result) => readLimited(result, limits.rows))
        return { publication, ...found, millis: performance.now() - began } satisfies Answer
      }),
    )
    .pipe(turns.withPermits(1), limited(limits))

/** The answer as a Parquet file. */
export const askParquet = ({ latest, limits, turns, exportFolder }: Asking, sql: string) =>
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
            Effect.andThen(Effect.promise(() => readFile(file))),
            Effect.ensuring(Effect.promise(() => rm(file, { force: true }))),
          )
      }),
    )
    .pipe(turns.withPermits(1), limited(limits))

const onlySelect = Effect.fnUntraced(function* (copy: PublishedCopy, sql: string) {
  if (yield* copy.isSelect(sql)) return
  return yield* new ReadError({
    why: "This page answers one SELECT at a time.",
    advice: "WITH, FROM, DESCRIBE, SUMMARIZE and SHOW TABLES work too; nothing that writes does.",
  })
})

const limited =
  ({ seconds }: Limits) =>
  <A, E>(question: Effect.Effect<A, E>) =>
    Effect.timeoutOrElse(question, {
      duration: seconds * 1000,
      orElse: () =>
        Effect.fail(
          new ReadError({
            why: `The question was stopped after ${seconds} s.`,
            advice: "Narrow it to a vault or some days; `vaulthouse serve --timeout` allows more.",
          }),
        ),
    })

const readLimited = async ({ columns, rows }: QueryResult, most: number) => {
  const kept: Array<ReadonlyArray<Json>> = []
  let characters = 0
  let cutBy: Answer["cutBy"]
  reading: for await (const some of rows) {
    for (const row of some) {
      if (kept.length >= most) cutBy = "rows"
      else if (characters > MOST_CHARACTERS) cutBy = "size"
      if (cutBy !== undefined) break reading
      kept.push(row)
      for (const value of row) characters += typeof value === "string" ? value.length : 8
    }
  }
  return { columns, rows: kept, cutBy }
}
