// The warehouse as a service: one writer, whose transactions come one after the other.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { movedClock } from "../domain/run/movedClock.ts"
import type { Batch, Committed } from "../domain/run/outcome.ts"
import { type Rows, type Table, tableName } from "../domain/table/table.ts"
import { microsFromMillis } from "../domain/values/time.ts"
import { commitGroup } from "./commit/commitGroup.ts"
import { commitQueue, type Queued } from "./commit/commitQueue.ts"
import { storedTables } from "./tables/ddl.ts"
import { decodeRow, json, number, text } from "./duckdb/decodeRow.ts"
import { databaseError, type LoadError, type WarehouseLocked } from "./errors.ts"
import { executeAll } from "./commit/executeAll.ts"
import { knownRows } from "./commit/known/knownRows.ts"
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
import { sqlFile } from "./sql/sqlFile.ts"
import { duckdbFile } from "./storage/file/duckdbFile.ts"
import type { OpenOptions, Storage } from "./storage/Storage.ts"
import { storedColumns } from "./tables/storedColumns.ts"
import { operationTables } from "./tables/index.ts"
import { mayBeRecorded, type TaskKey } from "./commit/taskRows.ts"
import { checkBatch } from "./commit/validate.ts"
import { lockedOr, lockOf, type LockWait, waitForLock } from "./lock/waitForLock.ts"

export interface WarehouseOptions extends OpenOptions, LockWait {
  /** Default: the file in `dataDir`. */
  readonly storage?: Storage
  /** Another process may use `dataDir` at the same time; not with a file. Nothing may be published then. */
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
     * must be named, so that all their rows are exported again.
     */
    readonly execute: (
      statements: ReadonlyArray<string>,
      changed?: ReadonlyArray<Table>,
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
    /** Microseconds since 1970, not before the time of anything that earlier runs wrote. */
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
  if (options.sharesDataDir !== true) yield* lockOf(options.dataDir, "writer", options)
  const tables = [...options.tables, ...operationTables]
  const { storage = duckdbFile(options.dataDir) } = options
  const database = yield* opened(storage, options, tables)
  const { reader, writer, accepts, checkpoint, isAnyEmpty, makeCopy, rowCounts } = database
  const shared = movedClock(clock, database.clockAhead)
  const micros = () => microsFromMillis(shared.currentTimeMillisUnsafe())

  const { forget, ...known } = knownRows(rowCounts)
  let last = 0
  const session: Session = {
    connection: writer,
    runId: options.runId,
    tick: () => (last = Math.max(last + 1, micros())),
    ...known,
    exclusively: (work) =>
      database.exclusively((turn) => {
        if (turn.othersWrote) forget()
        return work(turn)
      }),
    storedColumns: storedColumns(writer),
    accepts,
    checkpoint,
    makeCopy,
  }
  yield* attempt("Preparing the warehouse's tables", () =>
    migrate(session, tables, database.keepCopy),
  )
  const read = async (
    sql: string,
    parameters: ReadonlyArray<Parameter> = [],
    needs: ReadonlyArray<string> = [],
  ) => (needs.length > 0 && (await isAnyEmpty(needs)) ? [] : readRows(reader, sql, parameters))
  // Where the connection to a lake's catalog was lost, a statement is read again on a new one, but not inside a transaction.
  let isAtOneMoment = false
  // Whatever writes rows records that there.
  const [latest = 0] = (yield* attempt("Reading the last run", () =>
    read(sqlFile("state", "latest_instant"), [], ["ops.partition_changes"]),
  )).map(number("latest"))
  const openedAt = Math.max(latest, micros())
  last = openedAt

  // There is one connection to write with and one transaction at a time, which must not be interrupted halfway.
  const turn = yield* Semaphore.make(1)
  const exclusively = <A>(what: string, work: (session: Session) => Promise<A>) =>
    Semaphore.withPermit(turn, Effect.uninterruptible(attempt(what, () => work(session))))

  const names = new Set(tables.map(tableName))
  const queue = yield* commitQueue(
    (take) => exclusively("Committing rows", () => commitGroup(session, take)),
    (batch) => checkBatch(batch, names),
    database.longestWaitMillis,
  )

  return Warehouse.of({
    commit: (batch) => Effect.flatMap(queue(batch), Deferred.await),
    queue,
    cursors: Effect.map(
      attempt("Reading the cursors", () => read(sqlFile("state", "cursors"), [], ["ops.cursors"])),
      (found) => {
        const byPipeline = Map.groupBy(found.map(decodeCursor), ({ pipeline }) => pipeline)
        return (pipeline) =>
          new Map(byPipeline.get(pipeline)?.map(({ entity, cursor }) => [entity, cursor]))
      },
    ),
    rows: (...query) =>
      Effect.retry(
        attempt("Reading the warehouse", () => read(...query)),
        { times: 1, while: ({ reason }) => reason === "Catalog" && !isAtOneMoment },
      ),
    rowCounts: attempt("Reading how many rows there are", rowCounts),
    mayBeRecorded: (task) => mayBeRecorded(session, task),
    hasWrittenAll: (table) => known.keys.areAll(table),
    mayHold: (set) => !isBegunHere(session) || known.ranges.mayHold(set),
    atOneMoment: (work) =>
      Effect.acquireUseRelease(
        attempt("Reading the warehouse", async () => {
          await reader.run("BEGIN TRANSACTION READ ONLY")
          isAtOneMoment = true
        }),
        () => work,
        () =>
          Effect.promise(async () => {
            isAtOneMoment = false
            await reader.run("ROLLBACK").catch(() => undefined)
          }),
      ),
    execute: (statements, changed = []) =>
      exclusively("Running statements on the warehouse", () =>
        executeAll(session, statements, changed),
      ),
    startRun: (start) => exclusively("Recording the run's start", () => startRun(session, start)),
    finishRun: (outcome, bookkeeping, limits) =>
      exclusively("Recording the run's end", async () => {
        const summary = await finishRun(session, outcome, bookkeeping, limits)
        await checkpoint()
        return summary
      }),
    exclusively,
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

const decodeCursor = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  cursor: json("cursor"),
})
