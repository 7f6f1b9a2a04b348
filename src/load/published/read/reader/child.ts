// The program of a reader process: opens one published copy and runs one statement at a time for the process that
// started it (ReaderProcess.ts). It holds nothing but that copy, and ends with its parent.
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Json } from "@duckdb/node-api"
import { identifier, literal } from "../../../sql/sql.ts"
import { bindParameters } from "./bindParameters.ts"
import { Guard } from "./guard.ts"
import { Refused } from "./mentions.ts"
import { openCopy } from "./openCopy.ts"
import {
  BATCHES_AHEAD,
  EXPORT,
  type FromReader,
  type ReaderOptions,
  SPILL,
  type Statement,
  type ToReader,
} from "./protocol.ts"
import { bytesOf } from "./resultBytes.ts"
import { uniqueNames } from "./uniqueNames.ts"
import { valuesOf } from "./valuesOf.ts"

const options = JSON.parse(process.argv[2] ?? "") as ReaderOptions

const send = (message: FromReader): void => void process.send?.(message)

// Threads of DuckDB that can't be interrupted would keep a process that ends by itself.
process.on("disconnect", () => {
  rmSync(options.folder, { recursive: true, force: true })
  process.kill(process.pid, "SIGKILL")
})
// A signal to the process group is for the parent, which stops its readers.
process.on("SIGINT", () => undefined)

// A longer text can't be made in JavaScript, nor a longer message.
const LARGEST_ROW = 256 * 1024 * 1024
const LARGEST_BATCH = 4 * 1024 * 1024
// Characters, as they are sent. Who writes rows as objects writes the names with each.
const LARGEST_COLUMNS = 64_000
// Characters. DuckDB quotes the values it complains about, however long they are.
const LONGEST_MESSAGE = 10_000

const shortened = (message: string): string =>
  message.length <= LONGEST_MESSAGE
    ? message
    : // Half a character may be left at the end.
      `${message.slice(0, LONGEST_MESSAGE).replace(/[\uD800-\uDBFF]$/, "")}… (cut after ${LONGEST_MESSAGE} characters)`

/** DuckDB's message, cut if it is long, without the native stack trace, which names files of this installation. */
const failed = (cause: unknown): FromReader => {
  const message = cause instanceof Error ? cause.message : String(cause)
  // Before it is cut, which could leave half a path.
  const withoutPaths = message
    .replaceAll(dirname(options.file), "…")
    .replaceAll(options.folder, "…")
  const [first = ""] = shortened(withoutPaths).split(
    /\n+(?:Stack Trace:|This error signals an assertion failure)/,
  )
  return {
    kind: "failed",
    message: first.replace(/^Failed to extract statements: /, "").trim(),
    isRefused: cause instanceof Refused,
    // One that ran out of memory seldom returns all of it: the next query, of somebody else, could end the process.
    isBroken: /^(?:INTERNAL|FATAL|Out of Memory) Error/.test(message),
  }
}

const { connection } = await openCopy(options.file, {
  ...options,
  spill: join(options.folder, SPILL),
  exportFolder: options.folder,
}).catch((cause: unknown) => {
  send(failed(cause))
  throw cause
})
const guard = new Guard(connection)

let isRunning = false
let isStopping = false
let credit = BATCHES_AHEAD
// Set while rows wait for credit.
let continueSending: (() => void) | undefined

const stopIfAsked = (): void => {
  if (isStopping) throw new Error("INTERRUPT Error: Interrupted!")
}

const sendRows = async (rows: ReadonlyArray<ReadonlyArray<Json>>): Promise<void> => {
  if (credit === 0) await new Promise<void>((resolve) => (continueSending = resolve))
  stopIfAsked()
  credit--
  send({ kind: "rows", rows })
}

/** About as long as it is sent: escapes make some characters six times as long. */
const sentSize = (value: Json): number => {
  if (typeof value === "string") {
    let length = 2
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at)
      length += code < 0x20 ? 6 : code === QUOTE || code === BACKSLASH ? 2 : 1
    }
    return length
  }
  if (typeof value !== "object" || value === null) return String(value).length
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + 1 + sentSize(each), 2)
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + 2 + sentSize(key) + sentSize(each),
    2,
  )
}
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Sends rows while they fit; each is measured before it is converted. Returns whether it stopped before the last. */
const sendResult = async ({
  sql,
  parameters,
  maxBytes = Infinity,
}: Statement): Promise<boolean> => {
  const result = await connection.stream(sql, await bindParameters(connection, sql, parameters))
  const types = result.columnTypes()
  const columns = uniqueNames(result.columnNames()).map((name, at) => ({
    name,
    type: types[at]?.alias ?? String(types[at]),
  }))
  const columnsSize = sentSize(columns)
  if (columnsSize > LARGEST_COLUMNS) {
    throw new Refused(
      `The names and types of the result's columns (${columns.length}) have about ${Math.ceil(columnsSize / 1000)} kB; at most ${LARGEST_COLUMNS / 1000} kB are possible.\nSelect fewer columns, or give them shorter names.`,
    )
  }
  send({ kind: "columns", columns })
  let bytes = 0
  for (;;) {
    stopIfAsked()
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) return false
    const vectors = Array.from({ length: chunk.columnCount }, (_, at) => chunk.getColumnVector(at))
    const values = vectors.map(valuesOf)
    let batch: Array<ReadonlyArray<Json>> = []
    let batchBytes = 0
    for (let at = 0; at < chunk.rowCount; at++) {
      const stored = vectors.reduce((sum, vector) => sum + bytesOf(vector, at, at + 1), 0)
      const fits = stored <= LARGEST_ROW && bytes + stored <= maxBytes
      const row = fits ? values.map((valueAt) => valueAt(at)) : []
      // Without a limit, only of what may not fit into a message.
      const isMeasured = fits && (maxBytes < Infinity || stored > LARGEST_BATCH)
      const size = isMeasured ? Math.max(stored, sentSize(row)) : stored
      bytes += size
      if (bytes > maxBytes) {
        if (batch.length > 0) await sendRows(batch)
        return true
      }
      if (size > LARGEST_ROW) {
        throw new Refused(
          `A row of the result has about ${Math.round(size / 1e6)} MB; at most ${Math.round(LARGEST_ROW / 1e6)} MB are possible.`,
        )
      }
      batch.push(row)
      batchBytes += size
      if (batchBytes > LARGEST_BATCH) {
        await sendRows(batch)
        batch = []
        batchBytes = 0
      }
    }
    if (batch.length > 0) await sendRows(batch)
  }
}

// As @duckdb/node-api writes types: names and values of an ENUM are always in quotes.
const INEXACT = /("(?:[^"]|"")*"|'(?:[^']|'')*')|\b(?:U?HUGEINT|INTERVAL)\b/g

/**
 * The type as SQL, with text in place of what Parquet does not hold exactly: DuckDB would write HUGEINT and UHUGEINT as DOUBLE,
 * an INTERVAL in milliseconds, and refuse a negative one.
 */
const exactType = (type: string): string => {
  let unnamed = 0
  return type.replaceAll(INEXACT, (_, quoted?: string) =>
    // SQL has no name for the fields of row(…).
    quoted === '""' ? `"_${unnamed++}"` : (quoted ?? "VARCHAR"),
  )
}

const writeExport = async ({ sql, parameters }: Statement, maxRows: number): Promise<number> => {
  if (sql.startsWith("EXPLAIN ")) throw new Refused("An EXPLAIN is text: ask for JSON or CSV.")
  // Its own errors show their place in it.
  ;(await connection.prepare(sql)).destroySync()
  const values = await bindParameters(connection, sql, parameters)
  // `query` has its text parsed as one statement, wherever its comments end.
  const result = `FROM query(${literal(sql)})`
  const empty = await connection.run(`${result} LIMIT 0`, values)
  const types = empty.columnTypes().map(String)
  const casts = empty.columnNames().flatMap((name, at) => {
    const type = types[at] ?? ""
    if (!/HUGEINT|INTERVAL/.test(type)) return []
    return [`CAST(${identifier(name)} AS ${exactType(type)}) AS ${identifier(name)}`]
  })
  const columns = casts.length === 0 ? "*" : `* REPLACE (${casts.join(", ")})`
  const written = await connection.runAndReadAll(
    `COPY (SELECT ${columns} ${result} LIMIT ${maxRows})
     TO ${literal(join(options.folder, EXPORT))} (FORMAT parquet, COMPRESSION zstd)`,
    values,
  )
  return Number(written.getRowsJson()[0]?.[0])
}

type Work = Extract<ToReader, { kind: "run" | "export" }>

const run = async (message: Work): Promise<void> => {
  isRunning = true
  isStopping = false
  credit = BATCHES_AHEAD
  const reply = await replyTo(message).catch(failed)
  clearInterval(interrupting)
  isRunning = false
  send(reply)
}

const replyTo = async (message: Work): Promise<FromReader> => {
  const statement = { ...message.statement, sql: await guard.check(message.statement.sql) }
  stopIfAsked()
  if (message.kind === "run") return { kind: "end", isCut: await sendResult(statement) }
  const exported = await writeExport(statement, message.maxRows)
  return { kind: "end", isCut: false, exported }
}

// DuckDB forgets an interrupt that comes before its query has begun.
const MILLIS_BETWEEN_INTERRUPTS = 20
let interrupting: NodeJS.Timeout | undefined

process.on("message", (message: ToReader) => {
  switch (message.kind) {
    case "run":
    case "export":
      return void run(message)
    case "more":
      credit++
      return continueSending?.()
    default:
      // It may cross with the end of the statement.
      if (!isRunning) return undefined
      isStopping = true
      connection.interrupt()
      clearInterval(interrupting)
      interrupting = setInterval(() => connection.interrupt(), MILLIS_BETWEEN_INTERRUPTS)
      return continueSending?.()
  }
})
send({ kind: "ready" })
