// Rebuilds the tables from the response archive without a single request: beside the warehouse first, and
// in its place in one transaction once every response has been read.
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Batch } from "../../domain/outcome.ts"
import { type Table, tableName } from "../../domain/table.ts"
import { databaseFile } from "../../load/database.ts"
import { LoadError } from "../../load/errors.ts"
import { compareTables, type Difference } from "../../load/compareTables.ts"
import { type Comparison, replaceTables } from "../../load/replaceTables.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { wholeOfLists } from "../../transform/tables/vaults/vaultRecords.ts"
import {
  archiveDirectory,
  archiveReader,
  indexColumns,
  indexedResponse,
  type IndexedResponse,
  rowsOfArchived,
} from "./archived.ts"
import { segmentFiles } from "./archiveFiles.ts"
import { pipelines } from "../catalog.ts"
import { noWarehouse } from "../readers/existingWarehouse.ts"
import { indexArchive, unknownWindow } from "./indexArchive.ts"
import { type PublishOptions, publishNews } from "../readers/publish.ts"

export interface ReplayOptions {
  readonly dataDir: string
  readonly timeFields: ReadonlyArray<string>
  readonly memoryLimit?: string
  readonly publish: PublishOptions | undefined
  readonly onResponse: (done: number, of: number) => void
}

export interface ReplaySummary {
  readonly responses: number
  readonly tables: ReadonlyArray<Comparison>
  readonly published: boolean
}

// As many as the loader commits together.
const BATCHES_AT_ONCE = 16

/** Tables that pipelines fill; a journal of vaulthouse's own (core.swaps) is in no answer. */
const replayedTables = (): ReadonlyArray<Table> => [
  ...new Set(pipelines.flatMap(({ tables }) => tables)),
]

const warehouseIn = (dataDir: string, { memoryLimit }: Pick<ReplayOptions, "memoryLimit">) =>
  Warehouse.layer({
    dataDir,
    tables: coreTables,
    runId: "replay",
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  })

export const replay = (options: ReplayOptions) =>
  existsSync(databaseFile(options.dataDir)) ||
  segmentFiles(archiveDirectory(options.dataDir)).length > 0
    ? replayed(options).pipe(Effect.provide(warehouseIn(options.dataDir, options)))
    : Effect.fail(noWarehouse("Replaying the archive", options.dataDir))

const replayed = Effect.fnUntraced(function* (options: ReplayOptions) {
  yield* indexArchive(options)
  yield* refuseIfIncomplete(replayedTables())
  const responses = yield* landedResponses
  const summary = yield* rebuiltBeside(options, responses, (beside) =>
    replaceTables(replayedTables(), beside),
  )
  const published =
    options.publish !== undefined && (yield* publishNews(options.publish, () => undefined))
  return { responses: responses.length, tables: summary, published } satisfies ReplaySummary
})

export type CompareOptions = Omit<ReplayOptions, "publish">

export interface ArchiveComparison {
  readonly responses: number
  readonly tables: ReadonlyArray<Difference>
  /** Rows whose response the archive's index has lost: nobody can say where they come from. */
  readonly lost: ReadonlyArray<LostRows>
  /** Responses that could not be compared: damaged or missing in the archive, or of no shape known here. */
  readonly unreadable: ReadonlyArray<UnreadableResponse>
}

export interface UnreadableResponse {
  readonly responseId: string
  readonly pipeline: string
  readonly file: string
  readonly why: string
}

/** What a replay would change, and changes nothing: the rows that are not what their responses say. */
export const compareWithArchive = (options: CompareOptions) =>
  Effect.gen(function* () {
    const lost = yield* lostRows(replayedTables())
    const responses = yield* landedResponses
    const unreadable: Array<UnreadableResponse> = []
    const tables = yield* rebuiltBeside(
      { ...options, onUnreadable: (response) => unreadable.push(response) },
      responses,
      (beside) => compareTables(replayedTables(), beside),
    )
    return { responses: responses.length, tables, lost, unreadable } satisfies ArchiveComparison
  }).pipe(Effect.provide(warehouseIn(options.dataDir, options)))

interface RebuildOptions extends CompareOptions {
  /** Told of what can't be read, which is then left out; without it, that fails. */
  readonly onUnreadable?: (response: UnreadableResponse) => void
}

/** Makes the tables again in a warehouse of their own, for as long as `use` needs them. */
export const rebuiltBeside = Effect.fnUntraced(function* <A>(
  options: RebuildOptions,
  responses: ReadonlyArray<IndexedResponse>,
  use: (dataDir: string) => Effect.Effect<A, LoadError, Warehouse>,
) {
  const warehouse = yield* Warehouse
  const beside = join(options.dataDir, "replay")
  const clear = Effect.promise(() => rm(beside, { recursive: true, force: true }))
  yield* clear
  return yield* rebuild(options, responses).pipe(
    Effect.provide(warehouseIn(beside, options)),
    Effect.andThen(use(beside)),
    Effect.provideService(Warehouse, warehouse),
    Effect.ensuring(clear),
  )
})

export interface LostRows {
  readonly table: string
  readonly rows: number
}

/** Rows whose response is gone. */
const lostRows = Effect.fnUntraced(function* (tables: ReadonlyArray<Table>) {
  const warehouse = yield* Warehouse
  const found: Array<LostRows> = []
  for (const table of tables) {
    if (table.mode !== "history" && table.mode !== "slowly_changing") continue
    const [lost] = yield* warehouse.rows(
      `select count(*)::double as rows from ${table.schema}.${table.name} t
       where _response_id is not null and not exists (
         from raw.responses r where r.response_id = t._response_id and r.is_landed)`,
    )
    const rows = Number(lost?.["rows"] ?? 0)
    if (rows > 0) found.push({ table: tableName(table), rows })
  }
  return found
})

/** Fails where rows of `tables` could not be made again. */
export const refuseIfIncomplete = Effect.fnUntraced(function* (tables: ReadonlyArray<Table>) {
  const [first] = yield* lostRows(tables)
  if (first === undefined) return
  return yield* new LoadError({
    reason: "Files",
    what: "Replaying the archive",
    why: `${first.rows} row(s) of ${first.table} come from responses it no longer holds, or holds without what was asked (a version before this kept them)`,
    advice: "Nothing was changed: a replay would lose them.",
  })
})

/** In the order in which they came; those of one run, entity and window together. */
export const landedResponses = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    `select ${indexColumns} from raw.responses where is_landed order by received_at`,
  )
  return rows.map(indexedResponse)
})

const rebuild = Effect.fnUntraced(function* (
  { dataDir, timeFields, onResponse, onUnreadable }: RebuildOptions,
  responses: ReadonlyArray<IndexedResponse>,
) {
  const warehouse = yield* Warehouse
  const reader = archiveReader(dataDir)
  const broken: Array<string> = []
  let done = 0
  const leftOut = ({ responseId, pipeline, file }: IndexedResponse, why: string) =>
    onUnreadable?.({ responseId, pipeline, file, why })
  const batchOf = (task: ReadonlyArray<IndexedResponse>) =>
    Effect.gen(function* () {
      const read = yield* Effect.forEach(task, (response) =>
        rowsOfArchived(reader, response, timeFields).pipe(
          Effect.map((rows) => [[response, rows] as const]),
          Effect.catchIf(
            () => onUnreadable !== undefined,
            ({ why }) => {
              leftOut(response, why)
              return Effect.succeed([])
            },
          ),
        ),
      )
      done += task.length
      onResponse(done, responses.length)
      return read.flat().flatMap(([response, rows]): ReadonlyArray<Batch> => {
        const { runId, responseId, pipeline } = response
        if (Result.isSuccess(rows)) {
          return [{ rows: rows.success.rows, runId, bookkeeping: [] }]
        }
        const why = `${rows.failure.path} ${rows.failure.detail}`
        if (onUnreadable === undefined) broken.push(`${pipeline} ${responseId}: ${why}`)
        else leftOut(response, why)
        return []
      })
    })
  yield* Stream.fromIterable(tasksOf(responses)).pipe(
    Stream.mapEffect(batchOf),
    Stream.flatMap((batches) => Stream.fromIterable(asLanded(batches))),
    Stream.mapEffect((batch) => warehouse.commit(batch), { concurrency: BATCHES_AT_ONCE }),
    Stream.runDrain,
  )
  const [first] = broken
  if (first !== undefined) {
    return yield* new LoadError({
      reason: "InvalidRow",
      what: "Replaying the archive",
      why: `${broken.length} response(s) that made rows before can't be read by this version, the first of them ${first}`,
      advice: "Nothing was changed.",
    })
  }
})

/** Pages that tell how things stand landed together; every other answer landed alone. */
const asLanded = (batches: ReadonlyArray<Batch>): ReadonlyArray<Batch> => {
  const areStates = batches.some(({ rows }) =>
    rows.some(({ table }) => table.mode === "slowly_changing"),
  )
  if (!areStates || batches.length < 2) return batches
  const runId = batches[0]?.runId
  return [
    {
      rows: wholeOfLists(batches.flatMap(({ rows }) => rows)),
      ...(runId === undefined ? {} : { runId }),
      bookkeeping: [],
    },
  ]
}

const tasksOf = (
  responses: ReadonlyArray<IndexedResponse>,
): ReadonlyArray<ReadonlyArray<IndexedResponse>> => [
  ...Map.groupBy(responses, ({ responseId, runId, pipeline, entity, window }) =>
    // Of these nobody knows which of them landed together.
    window === unknownWindow ? responseId : `${runId} ${pipeline} ${entity} ${window}`,
  ).values(),
]
