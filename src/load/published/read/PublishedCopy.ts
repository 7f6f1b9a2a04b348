// What a published copy is to those who read it: where it is, which queries it takes, why it can't be read. SQL of this program is
// run by openPublishedCopy.ts, SQL of readers in a process of its own (published/read/reader/readers.ts).
import { access, constants } from "node:fs/promises"
import { join } from "node:path"
import type { Json } from "@duckdb/node-api"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { QueryParameters } from "../../../domain/values/queryParameter.ts"

export const publishedDirectory = (dataDir: string): string => join(dataDir, "published")

export const publishedFile = (dataDir: string): string =>
  join(publishedDirectory(dataDir), "vaulthouse.duckdb")

/** There is no published copy, or DuckDB refused the query. */
export class ReadError extends Data.TaggedError("ReadError")<{
  readonly why: string
  /** Empty if the reason says enough. */
  readonly advice: string
  /** The copy is not there any more: a later publication has replaced it. */
  readonly isGone?: true
}> {
  override get message(): string {
    return this.advice === "" ? this.why : `${this.why}\n${this.advice}`
  }
}

export interface QueryResult {
  /** Types as DuckDB writes them. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** Rows as they are read, some at a time: instants ISO-8601, integers beyond 2^53 as digits. */
  readonly rows: AsyncIterable<ReadonlyArray<ReadonlyArray<Json>>>
}

export interface PublishedCopy {
  /** All rows at once, as objects: for results known to be small. */
  readonly rows: (
    sql: string,
    parameters?: QueryParameters,
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, Json>>>, ReadError>
}

export const REPUBLISH =
  "Run `vaulthouse publish --all`: it makes the copy again from the warehouse."

/** What to do about a query that DuckDB refuses. */
export const adviceOn = (refusal: string): string => {
  const missing = /following prepared statement parameters: (.+)/.exec(refusal)?.[1]
  if (missing !== undefined) {
    const names = missing.split(",").map((name) => name.trim())
    return names.some((name) => /^\d+$/.test(name))
      ? "Write a parameter as $name and give it a value: `--param name=…`."
      : `Give ${names.length === 1 ? "it a value" : "them values"}: ${names.map((name) => `\`--param ${name}=…\``).join(" ")}.`
  }
  if (/Cannot access file|No files found that match/.test(refusal)) {
    return "A query reads what is published, and no file; open published/vaulthouse.duckdb in DuckDB itself to join it with others."
  }
  if (refusal.startsWith("INTERNAL Error")) {
    return "This is a fault of DuckDB. Run the query again. If it has a window of all rows, write that as `over (partition by 1)`, which avoids a known one."
  }
  const isUnknown =
    /Referenced (column|table) |does not have a column|(Table|View|Table Function) with name/
  return isUnknown.test(refusal) ? "`vaulthouse tables` lists tables and columns." : ""
}

/** Whether there is such a file; fails with `advice` if this user may not read it. */
export const isReadable = (file: string, advice: string): Effect.Effect<boolean, ReadError> =>
  Effect.tryPromise({
    try: () => access(file, constants.R_OK),
    catch: (cause) => (cause as NodeJS.ErrnoException).code,
  }).pipe(
    Effect.as(true),
    Effect.catch((code) =>
      code === "EACCES"
        ? Effect.fail(new ReadError({ why: `This user may not read ${file}.`, advice }))
        : Effect.succeed(false),
    ),
  )

/** Whether anything is published; fails if this user may not read it. */
export const isPublished = (dataDir: string): Effect.Effect<boolean, ReadError> =>
  isReadable(
    publishedFile(dataDir),
    "Run this as the user of the runs, or let others read it with the setting publishedMode.",
  )

export const nothingPublished = (dataDir: string): ReadError =>
  new ReadError({
    why: `Nothing is published in ${dataDir} yet.`,
    advice:
      "Run `vaulthouse sync` first, or `vaulthouse publish` if there is a warehouse already, or choose another folder with --data-dir.",
  })
