// Reads the published copy. Queries can neither change it nor read any other file.
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { access, constants, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  type Json,
  StatementType,
} from "@duckdb/node-api"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { bindParameters, type QueryParameters } from "../../sql/queryParameter.ts"
import { convert } from "../../duckdb/readRows.ts"
import { literal } from "../../sql/sql.ts"

export const publishedDirectory = (dataDir: string): string => join(dataDir, "published")

export const publishedFile = (dataDir: string): string =>
  join(publishedDirectory(dataDir), "vaulthouse.duckdb")

/** There is no published copy, or DuckDB refused the query. */
export class ReadError extends Data.TaggedError("ReadError")<{
  readonly why: string
  /** Empty if the reason says enough. */
  readonly advice: string
}> {
  override get message(): string {
    return this.advice === "" ? this.why : `${this.why}\n${this.advice}`
  }
}

export interface QueryResult {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: DuckDBType }>
  /** Rows as they are read, some at a time: instants ISO-8601, integers beyond 2^53 as digits. */
  readonly rows: AsyncIterable<ReadonlyArray<ReadonlyArray<Json>>>
}

export type { QueryParameters } from "../../sql/queryParameter.ts"

export interface PublishedCopy {
  /** Runs one statement and `use` on its result; interrupting the effect stops both. */
  readonly query: <A>(
    sql: string,
    parameters: QueryParameters,
    use: (result: QueryResult) => Promise<A>,
  ) => Effect.Effect<A, ReadError>
  /** All rows at once, as objects: for results known to be small. */
  readonly rows: (
    sql: string,
    parameters?: QueryParameters,
  ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, Json>>>, ReadError>
  /** Whether the SQL only reads: one SELECT, with whatever DuckDB treats as one, such as DESCRIBE. */
  readonly isSelect: (sql: string) => Effect.Effect<boolean, ReadError>
  /** Stops the running query, which then fails. */
  readonly interrupt: () => void
}

const DEFAULT_MEMORY_LIMIT = "1GB"

const REPUBLISH = "Run `vaulthouse publish --all`: it makes the copy again from the warehouse."

/** What to do about a query that DuckDB refuses. */
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

/** Opens the copy until the scope ends. If the writer publishes meanwhile, this reader keeps the copy it opened. */
export const openPublishedCopy = (dataDir: string, memoryLimit = DEFAULT_MEMORY_LIMIT) =>
  Effect.gen(function* () {
    if (!(yield* isPublished(dataDir))) return yield* nothingPublished(dataDir)
    const [copy] = yield* openCopies(publishedFile(dataDir), { memoryLimit, readers: 1 })
    return copy
  })

export const nothingPublished = (dataDir: string): ReadError =>
  new ReadError({
    why: `Nothing is published in ${dataDir} yet.`,
    advice:
      "Run `vaulthouse sync` first, or `vaulthouse publish` if there is a warehouse already, or choose another folder with --data-dir.",
  })

export interface CopyOptions {
  readonly memoryLimit: string
  /** How many queries may run at once. */
  readonly readers: number
  /** The only folder that a query may write to. */
  readonly exportFolder?: string
}

/** Opens one published file for several readers, each with one query at a time, until the scope ends. */
export const openCopies = (file: string, options: CopyOptions) =>
  Effect.gen(function* () {
    // Not in the data directory, which the reader may not be allowed to write.
    const spill = join(tmpdir(), `vaulthouse-query-${randomUUID()}`)
    const { connections } = yield* Effect.acquireRelease(
      attempt(
        `${file} can't be opened`,
        () => REPUBLISH,
        undefined,
        () => open(file, spill, options),
      ),
      (opened) =>
        Effect.sync(() => {
          // An open connection would keep the file open until it is collected.
          for (const connection of opened.connections) connection.closeSync()
          opened.instance.closeSync()
          rmSync(spill, { recursive: true, force: true })
        }),
    )
    const [first, ...others] = connections
    return [copyOf(first), ...others.map(copyOf)] satisfies NonEmpty<PublishedCopy>
  })

type NonEmpty<A> = readonly [A, ...ReadonlyArray<A>]

const copyOf = (connection: DuckDBConnection): PublishedCopy => ({
  query: (sql, parameters, use) =>
    attempt("DuckDB refused the query", adviceOn, connection, async () => {
      const statements = await connection.extractStatements(sql)
      if (statements.count > 1) {
        throw new Error(`${statements.count} statements at once; run them one at a time`)
      }
      const result = await connection.stream(sql, await bindParameters(connection, sql, parameters))
      const types = result.columnTypes()
      const names = result.deduplicatedColumnNames()
      return use({
        columns: names.flatMap((name, at) => {
          const type = types[at]
          return type === undefined ? [] : [{ name, type }]
        }),
        rows: result.yieldConvertedRows(convert) as QueryResult["rows"],
      })
    }),
  rows: (sql, parameters) =>
    attempt("DuckDB refused the query", adviceOn, connection, async () => {
      const reader = await connection.runAndReadAll(
        sql,
        await bindParameters(connection, sql, parameters),
      )
      return reader.convertRowObjects(convert) as ReadonlyArray<Record<string, Json>>
    }),
  isSelect: (sql) =>
    attempt("DuckDB refused the query", adviceOn, connection, async () => {
      const statements = await connection.extractStatements(sql)
      if (statements.count !== 1) return false
      const prepared = await statements.prepare(0)
      const { statementType } = prepared
      prepared.destroySync()
      return statementType === StatementType.SELECT
    }),
  interrupt: () => connection.interrupt(),
})

/**
 * Opens the file so that nothing outside it is reachable: a foreign file could contain a view that reads other files.
 */
const open = async (
  file: string,
  spill: string,
  { memoryLimit, readers, exportFolder }: CopyOptions,
) => {
  // DuckDB would make it readable for everyone. If it can't be created, only queries that have to spill fail.
  await mkdir(spill, { mode: 0o700 }).catch(() => undefined)
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: memoryLimit,
    temp_directory: spill,
  })
  try {
    const first = await instance.connect()
    const connections: [DuckDBConnection, ...Array<DuckDBConnection>] = [first]
    while (connections.length < readers) connections.push(await instance.connect())
    await first.run(`ATTACH ${literal(file)} AS published (READ_ONLY)`)
    for (const connection of connections) {
      await connection.run("USE published")
      await connection.run("SET TimeZone = 'UTC'")
    }
    if (exportFolder !== undefined) {
      await first.run(`SET allowed_directories = [${literal(exportFolder)}]`)
    }
    await first.run("SET enable_external_access = false")
    await first.run("SET lock_configuration = true")
    return { instance, connections }
  } catch (cause) {
    instance.closeSync()
    throw cause
  }
}

// DuckDB forgets an interrupt that comes before its query has begun.
const MILLIS_BETWEEN_INTERRUPTS = 50
// How long a query may take to stop: one whose results are no longer read would never end.
const MILLIS_TO_STOP = 2000

const attempt = <A>(
  what: string,
  advice: (refusal: string) => string,
  connection: DuckDBConnection | undefined,
  work: () => Promise<A>,
): Effect.Effect<A, ReadError> =>
  Effect.callback((resume) => {
    const ended = work().then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        const refusal = cause instanceof Error ? cause.message.trim() : String(cause)
        resume(Effect.fail(new ReadError({ why: `${what}: ${refusal}`, advice: advice(refusal) })))
      },
    )
    return Effect.promise(async () => {
      connection?.interrupt()
      const again = setInterval(() => connection?.interrupt(), MILLIS_BETWEEN_INTERRUPTS)
      await Promise.race([ended, setTimeout(MILLIS_TO_STOP, undefined, { ref: false })])
      clearInterval(again)
    })
  })
