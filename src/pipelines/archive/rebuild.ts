// Rebuilds the tables from archived responses, in a separate warehouse.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ArchiveReader } from "../../archive/segments.ts"
import type { Batch } from "../../domain/run/outcome.ts"
import { mayLackMembers } from "../../domain/wire/violation.ts"
import type { Table } from "../../domain/table/table.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { databaseError, type LoadError } from "../../load/errors.ts"
import { lostRows } from "./rowsOfResponses.ts"
import { scratchFile } from "../../load/storage/file/duckdbFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { asOneSet, type FieldNames } from "../../transform/Source.ts"
import { coreTables } from "../pipelines.ts"
import { archiveOf } from "../publication/archiveOf.ts"
import { openWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { isRefusedByWarehouse } from "../run/task/refusedResult.ts"
import { asPartial } from "../strategies/mapResponse.ts"
import { rowsOfArchived } from "./archivedRows.ts"
import type { IndexedResponse } from "../../load/state/archiveIndex.ts"
import { type Commit, groupByCommit } from "./commits.ts"
import { inOrder } from "./commitOrder.ts"
import { Repetitions } from "./repetitions.ts"

export interface RebuildOptions extends FieldNames, Place {
  readonly onResponse: (done: number, total: number) => void
}

/** A response that makes no rows although it once did: damaged, missing, or not what this version expects. */
export interface UnreadableResponse {
  readonly responseId: string
  readonly pipeline: string
  readonly file: string
  readonly why: string
}

/** Rows that can't be made again, because their response can't be read or is not in the index. */
export interface LostRows {
  readonly table: string
  readonly rows: number
}

export const warehouseIn = (place: Place) =>
  Layer.unwrap(
    Effect.map(commandId("replay"), (runId) => openWarehouse({ ...placeOf(place), runId })),
  )

const scratchIn = (dataDir: string, { memoryLimit }: Place) =>
  Layer.unwrap(
    Effect.map(commandId("replay"), (runId) =>
      Warehouse.layer({
        dataDir,
        runId,
        tables: coreTables,
        storage: scratchFile(dataDir),
        ...(memoryLimit === undefined ? {} : { memoryLimit }),
      }),
    ),
  )

/** Rebuilds the tables, passes their data directory to `use`, and removes it afterwards. */
export const withRebuilt = Effect.fnUntraced(function* <A>(
  options: RebuildOptions,
  responses: ReadonlyArray<IndexedResponse>,
  use: (
    dataDir: string,
    unreadable: ReadonlyArray<UnreadableResponse>,
  ) => Effect.Effect<A, LoadError, Warehouse>,
) {
  const warehouse = yield* Warehouse
  const rebuiltDir = join(options.dataDir, "replay")
  const clear = Effect.tryPromise({
    try: () => rm(rebuiltDir, { recursive: true, force: true }),
    catch: (cause) => databaseError("Removing the folder that a replay rebuilds tables in", cause),
  })
  yield* clear
  return yield* rebuild(options, responses).pipe(
    Effect.provide(scratchIn(rebuiltDir, options)),
    Effect.flatMap((unreadable) => use(rebuiltDir, unreadable)),
    Effect.provideService(Warehouse, warehouse),
    // Where it fails too, the next replay removes it.
    Effect.onError(() => Effect.ignore(clear)),
    Effect.tap(() => clear),
  )
})

/** Stored rows of `tables` whose response can't be read again. */
export const lostTo = (
  unreadable: ReadonlyArray<UnreadableResponse>,
  tables: ReadonlyArray<Table>,
): Effect.Effect<ReadonlyArray<LostRows>, LoadError, Warehouse> =>
  lostRows(
    tables,
    unreadable.map(({ responseId }) => responseId),
  )

const rebuild = Effect.fnUntraced(function* (
  options: RebuildOptions,
  responses: ReadonlyArray<IndexedResponse>,
) {
  const warehouse = yield* Warehouse
  const store = archiveOf(options)
  const reader = new ArchiveReader(store)
  const unreadable: Array<UnreadableResponse> = []
  const repetitions = new Repetitions()
  let done = 0
  const leaveOut = (commit: Commit, why: string): void => {
    for (const { responseId, pipeline, file } of commit) {
      unreadable.push({ responseId, pipeline, file, why })
    }
  }
  const batchesOf = Effect.fnUntraced(function* (commit: Commit) {
    const batches: Array<Batch> = []
    let isWhole = true
    for (const response of commit) {
      const mapped = yield* rowsOfArchived(reader, response, options).pipe(
        Effect.map(Result.mapError(({ path, detail }) => `${path} ${detail}`)),
        Effect.catch(({ why }) => Effect.succeed(Result.fail(why))),
      )
      isWhole &&= Result.isSuccess(mapped) && !mayLackMembers(mapped.success.rejected)
      if (Result.isFailure(mapped)) leaveOut([response], mapped.failure)
      else batches.push({ rows: mapped.success.rows, runId: response.runId, bookkeeping: [] })
    }
    done += commit.length
    options.onResponse(done, responses.length)
    return asCommitted(batches, isWhole).flatMap((batch) => {
      const rows = repetitions.without(batch.rows)
      return rows.length === 0 ? [] : [{ commit, batch: { ...batch, rows } }]
    })
  })
  yield* Effect.forEach(
    inOrder(yield* groupByCommit(store, responses)),
    ({ commits, atOnce }) =>
      Stream.fromIterable(commits).pipe(
        Stream.mapEffect(batchesOf),
        Stream.flatMap((batches) => Stream.fromIterable(batches)),
        Stream.mapEffect(
          ({ commit, batch }) =>
            warehouse.commit(batch).pipe(
              Effect.asVoid,
              Effect.catchIf(isRefusedByWarehouse, ({ why }) =>
                Effect.sync(() => leaveOut(commit, why)),
              ),
            ),
          { concurrency: atOnce },
        ),
        Stream.runDrain,
      ),
    { discard: true },
  )
  yield* warehouse.exclusively("Completing the rebuilt tables", ({ checkpoint }) => checkpoint())
  return unreadable
})

/** The batches as a run committed them: pages of a slowly changing table together, every other response alone. */
const asCommitted = (batches: ReadonlyArray<Batch>, isWhole: boolean): ReadonlyArray<Batch> => {
  const isState = batches.some(({ rows }) =>
    rows.some(({ table }) => table.mode === "slowly_changing"),
  )
  if (!isState || (isWhole && batches.length < 2)) return batches
  const rows = batches.flatMap((batch) => batch.rows)
  const [first] = batches
  return first === undefined
    ? []
    : [{ ...first, rows: isWhole ? asOneSet(rows) : rows.map(asPartial) }]
}
