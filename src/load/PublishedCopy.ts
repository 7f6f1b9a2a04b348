// Reads the published copy: nothing but that file, nothing that changes it.
import { existsSync } from "node:fs"
import { DuckDBInstance, type DuckDBType, type Json } from "@duckdb/node-api"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { publishedFile } from "./publish.ts"
import { bound, type QueryParameter } from "./queryParameter.ts"
import { convert } from "./readRows.ts"
import { literal } from "./sql.ts"

/** There is no published copy, or DuckDB refused the question. */
export class ReadError extends Data.TaggedError("ReadError")<{
  readonly why: string
  /** Empty where the reason says it all. */
  readonly advice: string
}> {
  override get message(): string {
    return this.advice === "" ? this.why : `${this.why}\n${this.advice}`
  }
}

export interface Answer {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: DuckDBType }>
  /** Rows as they are read, some at a time: instants ISO-8601, integers beyond 2^53 as digits. */
  readonly rows: AsyncIterable<ReadonlyArray<ReadonlyArray<Json>>>
}

/** Values of `$name` in a question. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

export interface PublishedCopy {
  readonly ask: (sql: string, parameters?: QueryParameters) => Effect.Effect<Answer, ReadError>
  /** All rows at once, as objects: for answers known to be small. */
  readonly rows: (
    sql: string,
    parameters?: QueryParameters,
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, Json>>>, ReadError>
  /** Ends the question under way, which then fails. */
  readonly interrupt: () => void
}

const REPUBLISH =
  "Delete the `published` folder and run `vaulthouse sync`: it is made again from the warehouse."

/** What to do about DuckDB's refusal of a question. */
const adviceOn = (refusal: string): string => {
  const missing = /following prepared statement parameters: (.+)/.exec(refusal)?.[1]
  if (missing !== undefined) {
    const names = missing.split(",").map((name) => name.trim())
    return names.some((name) => /^\d+$/.test(name))
      ? "Write a parameter as $name and give it a value: `--param name=…`."
      : `Give ${names.length === 1 ? "it a value" : "them values"}: ${names.map((name) => `\`--param ${name}=…\``).join(" ")}.`
  }
  const isUnknown =
    /Referenced (column|table) |does not have a column|(Table|View|Table Function) with name/
  return isUnknown.test(refusal) ? "`vaulthouse tables` lists tables and columns." : ""
}

/** Open until the scope ends. The writer may publish meanwhile: this reader keeps the copy it opened. */
export const openPublishedCopy = (dataDir: string) =>
  Effect.gen(function* () {
    const file = publishedFile(dataDir)
    if (!existsSync(file)) {
      return yield* new ReadError({
        why: `Nothing is published in ${dataDir} yet.`,
        advice: "Run `vaulthouse sync` first, or name another folder with --data-dir.",
      })
    }
    const { connection } = yield* Effect.acquireRelease(
      attempt(
        `${file} can't be opened`,
        () => REPUBLISH,
        () => open(file),
      ),
      ({ instance }) => Effect.sync(() => instance.closeSync()),
    )
    const ask: PublishedCopy["ask"] = (sql, parameters) =>
      attempt("DuckDB refused the question", adviceOn, async () => {
        const statements = await connection.extractStatements(sql)
        if (statements.count > 1) {
          throw new Error(`${statements.count} statements at once; ask them one at a time`)
        }
        const result = await connection.stream(sql, bound(parameters))
        const types = result.columnTypes()
        const names = result.deduplicatedColumnNames()
        return {
          columns: names.flatMap((name, at) => {
            const type = types[at]
            return type === undefined ? [] : [{ name, type }]
          }),
          rows: result.yieldConvertedRows(convert) as Answer["rows"],
        }
      })
    const rows: PublishedCopy["rows"] = (sql, parameters) =>
      attempt("DuckDB refused the question", adviceOn, async () => {
        const reader = await connection.runAndReadAll(sql, bound(parameters))
        return reader.convertRowObjects(convert) as ReadonlyArray<Record<string, Json>>
      })
    const interrupt = (): void => connection.interrupt()
    return { ask, rows, interrupt } satisfies PublishedCopy
  })

/** A file from elsewhere could hide a view that reads other files: nothing outside it is reachable. */
const open = async (file: string) => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run(`ATTACH ${literal(file)} AS published (READ_ONLY)`)
  await connection.run("USE published")
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run("SET enable_external_access = false")
  await connection.run("SET lock_configuration = true")
  return { instance, connection }
}

const attempt = <A>(
  what: string,
  advice: (refusal: string) => string,
  work: () => Promise<A>,
): Effect.Effect<A, ReadError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => {
      const refusal = cause instanceof Error ? cause.message.trim() : String(cause)
      return new ReadError({ why: `${what}: ${refusal}`, advice: advice(refusal) })
    },
  })
