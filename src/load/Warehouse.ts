// The warehouse as a service: one writer, whose transactions come one after the other.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { movedClock } from "../domain/run/movedClock.ts"
import type { Batch, Committed } from "../domain/run/outcome.ts"
import { type Rows, type Table, tableName, storedTables } from "../domain/table/table.ts"
import { commitGroup } from "./commit/commitGroup.ts"
import { earliestInstant } from "./commit/earliestInstant.ts"
import { commitQueue, type Queued } from "./commit/commitQueue.ts"
import { decodeRow, json, text } from "./duckdb/decodeRow.ts"
import { databaseError, type LoadError, type WarehouseLocked } from "./errors.ts"
import { type Changed, executeAll } from "./commit/executeAll.ts"
import { storedRows } from "./commit/stored/storedRows.ts"
import { removeLeftovers } from "./leftovers.ts"
import { migrate } from "./tables/migrate.ts"
import { type Parameter, readRows, type Row } from "./duckdb/readRows.ts"
import {
  finishRun,
  isBegunHere,
  type RequestLimits,
  type RunOutcome,
  type RunStart,
  type RunSummary,
  startRun,
} from "./commit/runs.ts"
import type { Session } from "./commit/session.ts"
import { ticks } from "./commit/ticks.ts"
import { sqlFile } from "./sql/sqlFile.ts"
import { duckdbFile } from "./storage/file/duckdbFile.ts"
import type { Database, OpenOptions, Storage } from "./storage/Storage.ts"
import { storedColumns } from "./tables/storedColumns.ts"
import { operationTables } from "./tables/index.ts"
import { mayBeRecorded, type TaskKey } from "./commit/taskRows.ts"
import { checkBatch } from "./commit/validate.ts"
import { lockedOr, lockOf, type LockWait, waitForLock } from "./lock/waitForLock.ts"
import { noUnfinishedRestore } from "./unfinishedRestore.ts"

export interface WarehouseOptions extends OpenOptions, LockWait {
  /** Default: the file in `dataDir`. */
  readonly storage?: Storage
  /** Another process may use `dataDir` at the same time; not with a file. Only batches may be committed then. */
  readonly sharesDataDir?: true
  /** Created and migrated together with vaulthouse's own. */
  readonly tables: ReadonlyArray<Table>
}

export class Warehouse extends Context.Service<
  Warehouse,
  {
    /**
     * Commits the batch together with others that wait. Returns its own counts, or fails with why nothing of it was
     * kept.
     */
    readonly commit: (batch: Batch) => Effect.Effect<Committed, LoadError>
    /** Like `commit`, without waiting: batches are committed in the order of the calls, and none whose `after` was not. */
    readonly queue: (batch: Batch, after?: Queued) => Effect.Effect<Queued>
    /** A function from a pipeline's name to the cursors of its partitions, by `entity`. */
    readonly cursors: Effect.Effect<(pipeline: string) => ReadonlyMap<string, unknown>, LoadError>
    /**
     * Reads what is committed, on a connection of its own. `needs`: tables, as `schema.name`, without rows in each of which
     * there is nothing to read.
     */
    readonly rows: (
      sql: string,
      parameters?: ReadonlyArray<Parameter>,
      needs?: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<Row>, LoadError>
    /** Everything that `rows` reads during `work` is as it was at one moment, whatever others commit meanwhile. */
    readonly atOneMoment: <A, E, R>(
      work: Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | LoadError, R>
    /** `Database.rowCounts`. */
    readonly rowCounts: Effect.Effect<ReadonlyMap<string, number>, LoadError>
    /**
     * `false`: no task of this window is recorded, of whichever run, so that no statement need look. What other processes
     * have recorded counts as of this one's last turn, and a worker, which reads on where others have begun, can't say.
     */
    readonly mayBeRecorded: (task: TaskKey) => boolean
    /** Whether this process has written all rows of the table, `schema.name`, as of its last turn. */
    readonly hasWrittenAll: (table: string) => boolean
    /** `false`: no row of this set is stored, as `mayBeRecorded`. */
    readonly mayHold: (set: Rows) => boolean
    /**
     * Runs statements as one transaction (views, macros, housekeeping). Tables whose rows they change
     * must be named, so that all their rows, or those of some months, are exported again.
     */
    readonly execute: (
      statements: ReadonlyArray<string>,
      changed?: ReadonlyArray<Changed>,
    ) => Effect.Effect<void, LoadError>
    readonly startRun: (start: RunStart) => Effect.Effect<void, LoadError>
    /** Completes the run's record, together with `bookkeeping`, and checkpoints. */
    readonly finishRun: (
      outcome: RunOutcome,
      bookkeeping?: Rows,
      limits?: RequestLimits,
    ) => Effect.Effect<RunSummary, LoadError>
    /** Runs `work` on the writer's connection, while nothing else writes. */
    readonly exclusively: <A>(
      what: string,
      work: (session: Session) => Promise<A>,
    ) => Effect.Effect<A, LoadError>
    /** Keeps other processes from opening it from now on; fails if one has it open, whatever it does. */
    readonly alone: Effect.Effect<void, LoadError | WarehouseLocked>
    /** Every table, versions included: what an export covers. */
    readonly tables: ReadonlyArray<Table>
    readonly dataDir: string
    readonly runId: string
    /** Microseconds since 1970, not before the time of anything that earlier runs stored. */
    readonly openedAt: number
    /** The clock shared by all machines that write the warehouse. */
    readonly clock: Clock.Clock
    /** How far that is ahead of this machine's; 0 where one machine writes. */
    readonly clockAheadMicros: () => number
    /** Whether another process is working on the run. */
    readonly isRunning: (runId: string) => Effect.Effect<boolean, LoadError>
  }
>()("vaulthouse/load/Warehouse") {
  static readonly layer = (
    options: WarehouseOptions,
  ): Layer.Layer<Warehouse, LoadError | WarehouseLocked> => Layer.effect(Warehouse, make(options))
}

const opened = (storage: Storage, options: WarehouseOptions, tables: ReadonlyArray<Table>) => {
  const open = Effect.tryPromise({
    try: () => storage.open(options, tables),
    catch: lockedOr(`The warehouse in ${storage.shown} can't be opened`),
  })
  return waitForLock(
    Effect.acquireRelease(open, (database) => Effect.promise(database.close)),
    options,
  )
}

const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, LoadError> =>
  Effect.tryPromise({ try: work, catch: (cause) => databaseError(what, cause) })

const make = Effect.fnUntraced(function* (options: WarehouseOptions) {
  const clock = yield* Clock.Clock
  if (options.sharesDataDir !== true) {
    yield* lockOf(options.dataDir, "writer", options)
    yield* Effect.promise(() => removeLeftovers(options.dataDir))
  }
  yield* attempt("Ending a restore", () => noUnfinishedRestore(options.dataDir))
  const tables = [...options.tables, ...operationTables]
  const { storage = duckdbFile(options.dataDir) } = options
  const database = yield* opened(storage, options, tables)
  const shared = movedClock(clock, database.clockAhead)
  const { tick, startAt } = ticks(shared)
  const session = sessionOf(database, options.runId, tick)
  yield* attempt("Preparing the warehouse's tables", () =>
    migrate(session, tables, database.keepCopy),
  )
  // A worker commits nothing but batches, and learns from the notes of others what they store from now on.
  if (options.sharesDataDir === true) {
    yield* attempt("Reading which tables are empty", session.findEmptyTables)
  }
  const read = readerOf(database)
  const latest = yield* attempt("Reading the last run", () =>
    earliestInstant(session, read, startAt(0)),
  )
  const openedAt = startAt(latest)
  return Warehouse.of({
    ...reading(database, read),
    ...(yield* writing(database, session, tables)),
    mayBeRecorded: (task) => mayBeRecorded(session, task),
    hasWrittenAll: (table) => session.keys.areAll(table),
    mayHold: (set) => !isBegunHere(session) || session.ranges.mayHold(set),
    alone: Effect.tryPromise({
      try: () => database.alone(),
      catch: lockedOr("Keeping other processes out of the warehouse"),
    }),
    tables: tables.flatMap(storedTables),
    dataDir: options.dataDir,
    runId: options.runId,
    openedAt,
    clock: shared,
    clockAheadMicros: database.clockAhead,
    isRunning: (runId) =>
      attempt("Reading which runs are in progress", () => database.isRunning(runId)),
  })
})

const sessionOf = (database: Database, runId: string, tick: () => number): Session => {
  const { writer, accepts, checkpoint, makeCopy } = database
  const { learn, ...known } = storedRows(database.rowCounts)
  return {
    connection: writer,
    runId,
    tick,
    ...known,
    exclusively: (work) =>
      database.exclusively((turn) => {
        if (turn.others?.length !== 0) learn(turn.others)
        return work(turn)
      }),
    storedColumns: storedColumns(writer),
    accepts,
    checkpoint,
    makeCopy,
  }
}

type Read = (
  sql: string,
  parameters?: ReadonlyArray<Parameter>,
  needs?: ReadonlyArray<string>,
) => Promise<ReadonlyArray<Row>>

const readerOf =
  ({ reader, isAnyEmpty }: Database): Read =>
  async (sql, parameters = [], needs = []) =>
    needs.length > 0 && (await isAnyEmpty(needs)) ? [] : readRows(reader, sql, parameters)

/** What reads what is committed. */
const reading = ({ reader, rowCounts }: Database, read: Read) => {
  // Where the connection to a lake's catalog was lost, a statement is read again on a new one, but not inside a transaction.
  let isAtOneMoment = false
  const begin = attempt("Reading the warehouse", async () => {
    await reader.run("BEGIN TRANSACTION READ ONLY")
    isAtOneMoment = true
  })
  // COMMIT fails where something failed that DuckLake has not said.
  const commit = attempt("Reading the warehouse", async () => {
    await reader.run("COMMIT")
    isAtOneMoment = false
  })
  const end = Effect.promise(async () => {
    if (isAtOneMoment) await reader.run("ROLLBACK").catch(() => undefined)
    isAtOneMoment = false
  })
  return {
    cursors: Effect.map(
      attempt("Reading the cursors", () => read(sqlFile("state", "cursors"), [], ["ops.cursors"])),
      cursorsOf,
    ),
    rows: (...query) =>
      Effect.retry(
        attempt("Reading the warehouse", () => read(...query)),
        { times: 1, while: ({ reason }) => reason === "Catalog" && !isAtOneMoment },
      ),
    rowCounts: attempt("Reading how many rows there are", rowCounts),
    atOneMoment: (work) =>
      Effect.acquireUseRelease(
        begin,
        () => Effect.tap(work, commit),
        () => end,
      ),
  } satisfies Partial<Warehouse["Service"]>
}

/** What writes: there is one connection to write with, and one transaction at a time. */
const writing = Effect.fnUntraced(function* (
  database: Database,
  session: Session,
  tables: ReadonlyArray<Table>,
) {
  const turn = yield* Semaphore.make(1)
  // A transaction must not be interrupted halfway.
  const exclusively = <A>(what: string, work: (session: Session) => Promise<A>) =>
    Semaphore.withPermit(turn, Effect.uninterruptible(attempt(what, () => work(session))))
  const names = new Set(tables.map(tableName))
  const queue = yield* commitQueue(
    (take) => exclusively("Committing rows", () => commitGroup(session, take)),
    (batch) => checkBatch(batch, names),
    database.longestWaitMillis,
  )
  return {
    exclusively,
    queue,
    commit: (batch) => Effect.flatMap(queue(batch), Deferred.await),
    execute: (statements, changed = []) =>
      exclusively("Running statements on the warehouse", () =>
        executeAll(session, statements, changed),
      ),
    startRun: (start) => exclusively("Recording the run's start", () => startRun(session, start)),
    finishRun: (outcome, bookkeeping, limits) =>
      exclusively("Recording the run's end", async () => {
        const summary = await finishRun(session, outcome, bookkeeping, limits)
        await database.checkpoint()
        return summary
      }),
  } satisfies Partial<Warehouse["Service"]>
})

const cursorsOf = (found: ReadonlyArray<Row>) => {
  const byPipeline = Map.groupBy(found.map(decodeCursor), ({ pipeline }) => pipeline)
  return (pipeline: string): ReadonlyMap<string, unknown> =>
    new Map(byPipeline.get(pipeline)?.map(({ entity, cursor }) => [entity, cursor]))
}

const decodeCursor = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  cursor: json("cursor"),
})
