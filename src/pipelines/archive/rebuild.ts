// Rebuilds the tables from archived responses, in a separate warehouse.
import { rm } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ArchiveReader } from "../../archive/segments.ts"
import type { Batch } from "../../domain/run/outcome.ts"
import { mayLackMembers } from "../../domain/wire/violation.ts"
import { type Table, tableName } from "../../domain/table/table.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { databaseError, type LoadError } from "../../load/errors.ts"
import { rebuiltFolder } from "../../load/leftovers.ts"
import { lostRows, rowsMissing } from "./rowsOfResponses.ts"
import { scratchFile } from "../../load/storage/file/duckdbFile.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { asOneSet, type FieldNames, type MappedResponse } from "../../transform/Source.ts"
import { coreTables } from "../pipelines.ts"
import { archiveOf } from "../publication/archiveOf.ts"
import { openWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { isRefusedByWarehouse } from "../run/task/refusedResult.ts"
import { asPartial } from "../strategies/mapResponse.ts"
import { pipelineOf, rowsOfArchived } from "./archivedRows.ts"
import type { IndexedResponse } from "../../load/state/archiveIndex.ts"
import { type Commit, groupByCommit } from "./commits.ts"
import { inOrder } from "./commitOrder.ts"
import { Repetitions } from "./repetitions.ts"

export interface RebuildOptions extends FieldNames, Place {
  readonly onResponse: (done: number, total: number) => void
}

/** A response that lacks rows that it once made: damaged, missing, or not what this version expects, as a whole or in part. */
export interface UnreadableResponse {
  readonly responseId: string
  readonly pipeline: string
  readonly file: string
  readonly why: string
}

/** What a rebuild made no rows of. */
export interface LeftOut {
  readonly unreadable: ReadonlyArray<UnreadableResponse>
  /** Responses of which records were left out; most of these never made a row. */
  readonly inPart: ReadonlyArray<ReadInPart>
}

interface ReadInPart {
  readonly response: IndexedResponse
  /** What is wrong with a record; without it, the tables have none. */
  readonly why?: string
  /** The tables whose records these may be. */
  readonly tables: ReadonlyArray<Table>
}

/** Rows that can't be made again, because their response, or their record, can't be read or is not in the index. */
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
  use: (dataDir: string, leftOut: LeftOut) => Effect.Effect<A, LoadError, Warehouse>,
) {
  const warehouse = yield* Warehouse
  const rebuiltDir = rebuiltFolder(options.dataDir)
  const clear = Effect.tryPromise({
    try: () => rm(rebuiltDir, { recursive: true, force: true }),
    catch: (cause) => databaseError("Removing the folder that a replay rebuilds tables in", cause),
  })
  yield* clear
  return yield* rebuild(options, responses).pipe(
    Effect.provide(scratchIn(rebuiltDir, options)),
    Effect.flatMap((leftOut) => use(rebuiltDir, leftOut)),
    Effect.provideService(Warehouse, warehouse),
    // Where it fails too, the next command that writes removes it.
    Effect.onError(() => Effect.ignore(clear)),
    Effect.tap(() => clear),
  )
})

const idsOf = (responses: ReadonlyArray<UnreadableResponse>) =>
  responses.map(({ responseId }) => responseId)

/** Stored rows of `tables` that the rebuilt ones lack since they can't be read again, and the responses that once made rows. */
export const lostTo = Effect.fnUntraced(function* (
  { unreadable, inPart }: LeftOut,
  tables: ReadonlyArray<Table>,
  rebuiltDir: string,
) {
  const named = new Map<Table, Array<string>>()
  for (const { response, tables: ofResponse } of inPart) {
    for (const table of ofResponse.filter((each) => tables.includes(each))) {
      named.set(table, named.get(table) ?? [])
      named.get(table)?.push(response.responseId)
    }
  }
  const missing = yield* rowsMissing(named, rebuiltDir)
  const lost = new Map<string, number>()
  for (const { table, rows } of [...(yield* lostRows(tables, idsOf(unreadable))), ...missing]) {
    lost.set(table, (lost.get(table) ?? 0) + rows)
  }
  const losing = new Set(missing.map(({ responseId }) => responseId))
  const losingInPart = inPart
    .filter(({ response }) => losing.has(response.responseId))
    .map(({ response, why, tables: ofResponse }): UnreadableResponse => {
      const { responseId, pipeline, file } = response
      const none = `has no rows of ${ofResponse.map(tableName).join(" and ")} any more`
      return { responseId, pipeline, file, why: why ?? none }
    })
  return {
    lost: Array.from(lost, ([name, rows]): LostRows => ({ table: name, rows })),
    unreadable: [...unreadable, ...losingInPart],
  }
})

/** What of a response was left out, if anything: a setting that is gone may have named where all records of a table are. */
const readInPart = (
  response: IndexedResponse,
  { rows, rejected }: MappedResponse,
): ReadonlyArray<ReadInPart> => {
  const { tables = [] } = pipelineOf(response.pipeline) ?? {}
  const lacking = rejected.find(({ isRepeated }) => isRepeated !== true)
  if (lacking !== undefined) {
    return [{ response, why: `${lacking.path} ${lacking.detail}`, tables }]
  }
  const filled = new Set(rows.flatMap(({ table, length }) => (length > 0 ? [table] : [])))
  const empty = tables.filter((table) => table.shapes !== undefined && !filled.has(table))
  return empty.length === 0 ? [] : [{ response, tables: empty }]
}

const rebuild = Effect.fnUntraced(function* (
  options: RebuildOptions,
  responses: ReadonlyArray<IndexedResponse>,
) {
  const warehouse = yield* Warehouse
  const store = archiveOf(options)
  const reader = new ArchiveReader(store)
  const unreadable: Array<UnreadableResponse> = []
  const inPart: Array<ReadInPart> = []
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
      if (Result.isFailure(mapped)) {
        leaveOut([response], mapped.failure)
        continue
      }
      inPart.push(...readInPart(response, mapped.success))
      batches.push({ rows: mapped.success.rows, runId: response.runId, bookkeeping: [] })
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
  return { unreadable, inPart } satisfies LeftOut
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
