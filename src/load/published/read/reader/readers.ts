// The one way to run SQL that readers write: `serve`, `query`, the shell, `report` and exports use it, and so can any
// other door to the published copy. `makeReader` gives a `Reader`, whose statements run in a process of their own
// (ReaderProcess.ts) after `guard.ts` has allowed them; its `query` interrupts, limits and streams. A reader runs one
// statement at a time: who serves several people takes several readers (pipelines/readers/latestCopy.ts).
import { statSync } from "node:fs"
import { rm } from "node:fs/promises"
import type { Json } from "@duckdb/node-api"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import { regularFileSize } from "../../../../domain/regularFile.ts"
import {
  adviceOn,
  isPublished,
  nothingPublished,
  type PublishedCopy,
  publishedFile,
  type QueryResult,
  ReadError,
  REPUBLISH,
} from "../PublishedCopy.ts"
import { ReaderEnded, ReaderProcess, StatementFailed } from "./ReaderProcess.ts"
import { causeMessage } from "../../../../domain/values/causeMessage.ts"
import type { QueryParameters } from "../../../../domain/values/queryParameter.ts"

export interface ReaderLimits {
  readonly memoryLimit: string
  /** How much a query may write to disk: what does not fit into memory, and a file that it is exported to. */
  readonly diskLimit: string
}

export interface MakeReader extends ReaderLimits {
  readonly file: string
  /** Yield the processors to others. */
  readonly isNice?: boolean
}

/** A result may end before its last row: `isCut`. */
export interface ReaderResult extends QueryResult {
  readonly isCut: () => boolean
}

export interface Reader extends PublishedCopy {
  /** Runs one statement and `use` on its result, whose rows end before their size exceeds `maxBytes`. */
  readonly query: <A>(
    sql: string,
    parameters: QueryParameters,
    use: (result: ReaderResult) => Promise<A>,
    maxBytes?: number,
  ) => Effect.Effect<A, ReadError>
  /** Opens the copy, which the first statement does otherwise. */
  readonly open: Effect.Effect<void, ReadError>
  /** Runs `use` on a Parquet file of the result, cut to `maxRows`, and on its number of rows. */
  readonly exportParquet: <A>(
    sql: string,
    maxRows: number,
    use: (file: string, rows: number) => Promise<A>,
  ) => Effect.Effect<A, ReadError>
  /** Stops the running statement, which then fails. */
  readonly interrupt: () => void
}

const STOPPED = new ReadError({ why: "The query was stopped.", advice: "" })

/** A reader of the file until the scope ends. A process that ended is replaced for the next statement. */
export const makeReader = (options: MakeReader): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Semaphore.make(1), (turn) => ({ slot: new Slot(options), turn })),
    ({ slot }) => Effect.sync(() => slot.close()),
  ).pipe(Effect.map(({ slot, turn }) => readerIn(slot, turn)))

/** A reader of what is published. */
export const openReader = Effect.fnUntraced(function* (dataDir: string, limits: ReaderLimits) {
  if (!(yield* isPublished(dataDir))) return yield* nothingPublished(dataDir)
  return yield* makeReader({ ...limits, file: publishedFile(dataDir) })
})

/** Not where this user may not look. */
const isGone = (file: string): boolean => {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** The process of a reader, started when it is needed. */
class Slot {
  readonly #options: MakeReader
  #process: ReaderProcess | undefined
  #opening: Promise<ReaderProcess> | undefined
  #isClosed = false
  /** Somebody has stopped the running statement. */
  isInterrupted = false

  constructor(options: MakeReader) {
    this.#options = options
  }

  async usable(): Promise<ReaderProcess> {
    if (this.#process?.isUsable === true) return this.#process
    // Somebody who left while it was opened leaves it to the next.
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #open(): Promise<ReaderProcess> {
    this.#process?.close()
    const { isNice = false, ...options } = this.#options
    try {
      await regularFileSize(options.file)
      this.#process = await ReaderProcess.open({
        ...options,
        isNice,
      })
    } catch (cause) {
      if (causeMessage(cause).includes("Out of Memory")) {
        throw new ReadError({
          why: `The published copy ${options.file} can't be opened with ${options.memoryLimit} of memory.`,
          advice: "Raise the setting queryMemoryLimit.",
        })
      }
      if (isGone(options.file)) {
        throw new ReadError({
          why: `The published copy ${options.file} is not there any more: a later publication has replaced it.`,
          advice: "Run this again.",
          isGone: true,
        })
      }
      throw new ReadError({
        why: `The published copy ${options.file} can't be opened: ${causeMessage(cause)}`,
        advice: REPUBLISH,
      })
    }
    if (this.#isClosed) this.#process.close()
    return this.#process
  }

  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  close(): void {
    this.#isClosed = true
    this.#process?.close()
  }
}

const readerIn = (slot: Slot, turn: Semaphore.Semaphore): Reader => {
  /** Interrupting the effect stops the statement. */
  const withProcess = <A>(
    work: (process: ReaderProcess) => Promise<A>,
  ): Effect.Effect<A, ReadError> =>
    Effect.callback<A, ReadError>((resume) => {
      slot.isInterrupted = false
      let isAbandoned = false
      slot
        .usable()
        // It may have been stopped while the process was started.
        .then((process) => {
          if (isAbandoned || slot.isInterrupted) throw STOPPED
          return work(process)
        })
        .then(
          (value) => resume(Effect.succeed(value)),
          (cause: unknown) => resume(Effect.fail(slot.isInterrupted ? STOPPED : errorOf(cause))),
        )
      return Effect.promise(() => {
        isAbandoned = true
        return slot.stop()
      })
    }).pipe(turn.withPermits(1))

  const query: Reader["query"] = (sql, parameters, use, maxBytes) =>
    withProcess(async (process) => {
      const result = await process.run({
        sql,
        parameters,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
      try {
        return await use(result)
      } finally {
        await result.end()
      }
    })

  return {
    open: withProcess(() => Promise.resolve()),
    query,
    rows: (sql, parameters = {}) =>
      query(sql, parameters, async ({ columns, rows }) => {
        const all: Array<Readonly<Record<string, Json>>> = []
        for await (const batch of rows) {
          for (const row of batch) {
            all.push(Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])))
          }
        }
        return all
      }),
    exportParquet: (sql, maxRows, use) =>
      withProcess(async (process) => {
        const exported = await process.export({ sql, parameters: {} }, maxRows)
        try {
          return await use(exported.file, exported.rows)
        } finally {
          await rm(exported.file, { force: true })
        }
      }),
    interrupt: () => {
      slot.isInterrupted = true
      void slot.stop()
    },
  }
}

const errorOf = (cause: unknown): ReadError => {
  if (cause instanceof ReadError) return cause
  const message = causeMessage(cause)
  if (cause instanceof ReaderEnded) {
    return new ReadError({
      why: `${message}.`,
      advice: "Nothing else is affected. Write the query in another way, or narrow it.",
    })
  }
  const isRefused = cause instanceof StatementFailed && cause.isRefused
  const why = isRefused ? message : `DuckDB refused the query: ${message}`
  return new ReadError({ why, advice: adviceOn(message) })
}
