// The warehouse as a service: one writer fiber commits whatever is queued as one transaction, everything else
// waits its turn. Nothing else writes the database.
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import type { Batch, Committed } from "../domain/outcome.ts"
import { type Table, tableName, versionsOf } from "../domain/table.ts"
import { formatInstant, microsFromMillis } from "../domain/time.ts"
import { commitGroup, type Session, transaction } from "./commitGroup.ts"
import { copyDatabase } from "./copyDatabase.ts"
import {
  databaseFile,
  type DatabaseOptions,
  makePrivateDirectory,
  openDatabase,
} from "./database.ts"
import { storedTables } from "./ddl.ts"
import { databaseError, LoadError, WarehouseLocked } from "./errors.ts"
import { acquireLock } from "./LockFile.ts"
import { migrate } from "./migrate.ts"
import { type Parameter, readRows, type Row } from "./readRows.ts"
import { finishRun, type RunOutcome, type RunStart, type RunSummary, startRun } from "./runs.ts"
import { CATALOG, qualified } from "./sql.ts"
import { StoredRanges } from "./storedRanges.ts"
import { operationTables } from "./tables/index.ts"
import { checkBatch } from "./validate.ts"

export interface WarehouseOptions extends DatabaseOptions {
  /** Tables beside vaulthouse's own: created, migrated by adding columns, commented. */
  readonly tables: ReadonlyArray<Table>
  readonly runId: string
  /** How long to wait for another process to let go of the warehouse; default not at all. */
  readonly wait?: Duration.Input
}

// Enough for a group to be worth its transaction, little enough to bound memory and the wait of a batch.
const GROUP_BATCHES = 64
const GROUP_ROWS = 100_000

interface Queued {
  readonly batch: Batch
  readonly done: Deferred.Deferred<Committed, LoadError>
}

export class Warehouse extends Context.Service<
  Warehouse,
  {
    /** Commits the batch, together with others that wait; its own counts, or why nothing of it was kept. */
    readonly commit: (batch: Batch) => Effect.Effect<Committed, LoadError>
    /** Where each entity of a pipeline begins. */
    readonly cursors: (pipeline: string) => Effect.Effect<ReadonlyMap<string, unknown>, LoadError>
    /** Reads beside the writer, seeing what is committed: see `Row` for how values come. */
    readonly rows: (
      sql: string,
      parameters?: ReadonlyArray<Parameter>,
    ) => Effect.Effect<ReadonlyArray<Row>, LoadError>
    /**
     * Runs statements as one transaction (views, macros, housekeeping). Tables whose rows they change
     * must be named, so that all of them is exported again.
     */
    readonly execute: (
      statements: ReadonlyArray<string>,
      changed?: ReadonlyArray<Table>,
    ) => Effect.Effect<void, LoadError>
    readonly startRun: (start: RunStart) => Effect.Effect<void, LoadError>
    /** Completes the run's record and checkpoints. */
    readonly finishRun: (outcome: RunOutcome) => Effect.Effect<RunSummary, LoadError>
    /** Runs `work` while nothing else writes, with the connection that may: for the exporters of `load`. */
    readonly exclusively: <A>(
      what: string,
      work: (session: Session) => Promise<A>,
    ) => Effect.Effect<A, LoadError>
    /** Every table there is, versions included: what an export covers. */
    readonly tables: ReadonlyArray<Table>
    readonly dataDir: string
    readonly runId: string
    /** Microseconds since 1970: not before anything earlier runs wrote. */
    readonly openedAt: number
  }
>()("vaulthouse/load/Warehouse") {
  static readonly layer = (
    options: WarehouseOptions,
  ): Layer.Layer<Warehouse, LoadError | WarehouseLocked> => Layer.effect(Warehouse, make(options))
}

const locked = (options: WarehouseOptions, since: string) => {
  const take = Effect.try({
    try: () => {
      makePrivateDirectory(options.dataDir)
      return acquireLock(options.dataDir, since)
    },
    catch: (cause) =>
      cause instanceof WarehouseLocked
        ? cause
        : databaseError(`The data directory ${options.dataDir} can't be used`, cause),
  })
  const patient =
    options.wait === undefined
      ? take
      : Effect.retry(take, {
          while: (error) => error._tag === "WarehouseLocked",
          schedule: Schedule.upTo(Schedule.spaced("250 millis"), { duration: options.wait }),
        })
  return Effect.acquireRelease(patient, (lock) => Effect.sync(lock.release))
}

const opened = (options: WarehouseOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => openDatabase(options),
      catch: (cause) =>
        cause instanceof WarehouseLocked
          ? cause
          : databaseError(`The warehouse in ${options.dataDir} can't be opened`, cause),
    }),
    (database) => Effect.sync(database.close),
  )

/**
 * The latest instant earlier runs wrote: a clock set back must not make new rows older than old ones. What a replay made
 * from the archive alone has no run here, only its responses.
 */
const latestInstant = `SELECT coalesce(max(written), 0) AS latest FROM (
  SELECT epoch_us(max(finished_at)) AS written FROM ${CATALOG}.ops.tasks
  UNION ALL SELECT epoch_us(max(greatest(started_at, finished_at))) FROM ${CATALOG}.ops.runs
  UNION ALL SELECT epoch_us(max(received_at)) FROM ${CATALOG}.raw.responses
  UNION ALL SELECT epoch_us(max(changed_at)) FROM ${CATALOG}.ops.partition_changes
  UNION ALL SELECT epoch_us(max(published_at)) FROM ${CATALOG}.ops.publications)`

const attempt = <A>(what: string, work: () => Promise<A>): Effect.Effect<A, LoadError> =>
  Effect.tryPromise({ try: work, catch: (cause) => databaseError(what, cause) })

/** The warehouse as it was before a newer version last changed its layout. */
export const copyBeforeMigration = (dataDir: string): string =>
  join(dataDir, "vaulthouse.before-migration.duckdb")

const make = Effect.fnUntraced(function* (options: WarehouseOptions) {
  const clock = yield* Clock.Clock
  const micros = () => microsFromMillis(clock.currentTimeMillisUnsafe())
  yield* locked(options, formatInstant(micros()))
  const { reader, writer } = yield* opened(options)
  const tables = [...options.tables, ...operationTables]

  yield* attempt("Preparing the warehouse's tables", () =>
    migrate(writer, tables, async () => {
      await writer.run(`CHECKPOINT ${CATALOG}`)
      await copyDatabase(databaseFile(options.dataDir), copyBeforeMigration(options.dataDir))
    }),
  )
  const [latest] = yield* attempt("Reading the last run", () => readRows(writer, latestInstant))
  const openedAt = Math.max(Number(latest?.["latest"] ?? 0), micros())
  let last = openedAt
  const emptyTables = attempt("Counting the warehouse's rows", async () => {
    const histories = tables.filter(({ mode }) => mode === "history")
    const empty: Array<Table> = []
    for (const table of histories) {
      // What is gone of a set is in the versions alone.
      const rows = await readRows(
        writer,
        `(SELECT 1 FROM ${qualified(table)} LIMIT 1)
         UNION ALL (SELECT 1 FROM ${qualified(versionsOf(table))} LIMIT 1)`,
      )
      if (rows.length === 0) empty.push(table)
    }
    return empty
  })
  const session: Session = {
    connection: writer,
    runId: options.runId,
    tick: () => (last = Math.max(last + 1, micros())),
    marked: new Set(),
    ranges: new StoredRanges(yield* emptyTables),
  }

  // The writer's connection and transaction are one: whoever uses them waits for the others, and is not
  // interrupted half way.
  const turn = yield* Semaphore.make(1)
  const exclusively = <A>(what: string, work: (session: Session) => Promise<A>) =>
    Semaphore.withPermit(turn, Effect.uninterruptible(attempt(what, () => work(session))))

  const queue = yield* Queue.bounded<Queued>(2 * GROUP_BATCHES)

  const commitTogether = (group: ReadonlyArray<Queued>) =>
    exclusively("Committing rows", () =>
      commitGroup(
        session,
        group.map(({ batch }) => batch),
      ),
    )

  const settle = Effect.fnUntraced(function* (group: ReadonlyArray<Queued>) {
    const committed = yield* Effect.result(commitTogether(group))
    if (committed._tag === "Success") {
      for (const [at, { done }] of group.entries()) {
        const counts = committed.success[at]
        if (counts !== undefined) yield* Deferred.succeed(done, counts)
      }
    } else if (group.length === 1 && group[0] !== undefined) {
      yield* Deferred.fail(group[0].done, committed.failure)
    } else {
      // One of them is bad: each alone, so that only that one fails.
      for (const queued of group) yield* settleAlone(queued)
    }
  })
  const settleAlone = (queued: Queued): Effect.Effect<void> => settle([queued])

  const writeForever = Effect.forever(
    Effect.flatMap(Queue.takeBetween(queue, 1, GROUP_BATCHES), (taken) =>
      Effect.uninterruptible(Effect.forEach(groupsOf(taken), settle, { discard: true })),
    ),
  )
  yield* Effect.forkScoped(writeForever)

  const known = new Set(tables.map(tableName))
  const commit = Effect.fnUntraced(function* (batch: Batch) {
    const invalid = checkBatch(batch, known)
    if (invalid !== undefined) return yield* invalid
    const done = yield* Deferred.make<Committed, LoadError>()
    yield* Queue.offer(queue, { batch, done })
    return yield* Deferred.await(done)
  })

  // Callers still waiting when the warehouse closes are told so; the writer ends before the file is closed.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const waiting = yield* Queue.clear(queue)
      for (const { done } of waiting) yield* Deferred.fail(done, closed)
      yield* Queue.shutdown(queue)
    }),
  )

  return Warehouse.of({
    commit,
    cursors: (pipeline) =>
      Effect.map(
        attempt(`Reading the cursors of ${pipeline}`, () =>
          readRows(
            reader,
            `SELECT entity, cursor::VARCHAR AS cursor FROM ${CATALOG}.ops.cursors WHERE pipeline = $1`,
            [pipeline],
          ),
        ),
        (found) =>
          new Map(found.map(({ entity, cursor }) => [String(entity), JSON.parse(String(cursor))])),
      ),
    rows: (sql, parameters) =>
      attempt("Reading the warehouse", () => readRows(reader, sql, parameters)),
    execute: (statements, changed = []) =>
      exclusively("Running statements on the warehouse", () =>
        executeAll(session, statements, changed),
      ),
    startRun: (start) => exclusively("Recording the run's start", () => startRun(session, start)),
    finishRun: (outcome) =>
      exclusively("Recording the run's end", async () => {
        const summary = await finishRun(session, outcome)
        await writer.run(`CHECKPOINT ${CATALOG}`)
        return summary
      }),
    exclusively,
    tables: tables.flatMap(storedTables),
    dataDir: options.dataDir,
    runId: options.runId,
    openedAt,
  })
})

const closed = new LoadError({
  reason: "Closed",
  what: "Committing rows",
  why: "the warehouse was closed first",
  advice: "Nothing of this batch was kept; the next run does it again.",
})

const executeAll = async (
  session: Session,
  statements: ReadonlyArray<string>,
  changed: ReadonlyArray<Table>,
): Promise<void> => {
  await transaction(session, async () => {
    for (const statement of statements) await session.connection.run(statement)
    for (const table of changed) {
      // Every month that was or is there: rows may have been removed altogether.
      await session.connection.run(
        `UPDATE ${CATALOG}.ops.partition_changes SET changed_at = make_timestamp(${session.tick()}::BIGINT)
         WHERE table_schema = $1 AND table_name IN ($2, $2 || '_versions')`,
        [table.schema, table.name],
      )
    }
  })
}

/** Groups of at most `GROUP_ROWS` rows, or a single batch that is larger. */
const groupsOf = (queued: ReadonlyArray<Queued>): ReadonlyArray<ReadonlyArray<Queued>> => {
  const groups: Array<Array<Queued>> = []
  let rows = Number.POSITIVE_INFINITY
  for (const each of queued) {
    const size = each.batch.rows.reduce((sum, { length }) => sum + length, 0)
    const group = groups.at(-1)
    if (group === undefined || rows + size > GROUP_ROWS) {
      groups.push([each])
      rows = size
    } else {
      group.push(each)
      rows += size
    }
  }
  return groups
}
