// Rebuilds the tables from the response archive without a single request: beside the warehouse first, and
// in its place in one transaction once every response has been read.
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Batch } from "../domain/outcome.ts"
import type { Table } from "../domain/table.ts"
import { LoadError } from "../load/errors.ts"
import { type Comparison, replaceTables } from "../load/replaceTables.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { coreTables } from "../transform/tables/index.ts"
import {
  archiveReader,
  indexColumns,
  indexedResponse,
  type IndexedResponse,
  rowsOfArchived,
} from "./archived.ts"
import { pipelines } from "./catalog.ts"
import { indexArchive } from "./indexArchive.ts"
import { type PublishOptions, publishNews } from "./publish.ts"

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

export const replay = (options: ReplayOptions) =>
  replayed(options).pipe(
    Effect.provide(
      Warehouse.layer({
        dataDir: options.dataDir,
        tables: coreTables,
        runId: "replay",
        ...(options.memoryLimit === undefined ? {} : { memoryLimit: options.memoryLimit }),
      }),
    ),
  )

const replayed = Effect.fnUntraced(function* (options: ReplayOptions) {
  const { dataDir } = options
  const warehouse = yield* Warehouse
  yield* indexArchive(dataDir)
  yield* refuseIfIncomplete
  const responses = yield* landedResponses
  const beside = join(dataDir, "replay")
  const clear = Effect.promise(() => rm(beside, { recursive: true, force: true }))
  yield* clear
  const summary = yield* rebuild(options, responses).pipe(
    Effect.provide(
      Warehouse.layer({
        dataDir: beside,
        tables: coreTables,
        runId: "replay",
        ...(options.memoryLimit === undefined ? {} : { memoryLimit: options.memoryLimit }),
      }),
    ),
    Effect.andThen(replaceTables(replayedTables(), beside)),
    Effect.provideService(Warehouse, warehouse),
    Effect.ensuring(clear),
  )
  const published =
    options.publish !== undefined && (yield* publishNews(options.publish, () => undefined))
  return { responses: responses.length, tables: summary, published } satisfies ReplaySummary
})

/** Rows whose response is gone could not be made again. */
const refuseIfIncomplete = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  for (const table of replayedTables()) {
    if (table.mode !== "history" && table.mode !== "slowly_changing") continue
    const [lost] = yield* warehouse.rows(
      `select count(*)::double as rows from ${table.schema}.${table.name} t
       where _response_id is not null and not exists (
         from raw.responses r where r.response_id = t._response_id and r.is_landed)`,
    )
    const rows = Number(lost?.["rows"] ?? 0)
    if (rows === 0) continue
    return yield* new LoadError({
      reason: "Files",
      what: "Replaying the archive",
      why: `${rows} row(s) of ${table.schema}.${table.name} come from responses that are no longer in it`,
      advice: "Nothing was changed: a replay would lose them.",
    })
  }
})

/** In the order in which they came; those of one run, entity and window together. */
const landedResponses = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    `select ${indexColumns} from raw.responses where is_landed order by received_at`,
  )
  return rows.map(indexedResponse)
})

const rebuild = Effect.fnUntraced(function* (
  { dataDir, timeFields, onResponse }: ReplayOptions,
  responses: ReadonlyArray<IndexedResponse>,
) {
  const warehouse = yield* Warehouse
  const reader = archiveReader(dataDir)
  const broken: Array<string> = []
  let done = 0
  const batchOf = (task: ReadonlyArray<IndexedResponse>) =>
    Effect.gen(function* () {
      const mapped = yield* Effect.forEach(task, (response) =>
        Effect.map(
          rowsOfArchived(reader, response, timeFields),
          (rows) => [response, rows] as const,
        ),
      )
      done += task.length
      onResponse(done, responses.length)
      return mapped.flatMap(([{ runId, responseId, pipeline }, rows]): ReadonlyArray<Batch> => {
        if (Result.isSuccess(rows)) {
          return [{ rows: rows.success.rows, runId, bookkeeping: [] }]
        }
        broken.push(`${pipeline} ${responseId}: ${rows.failure.path} ${rows.failure.detail}`)
        return []
      })
    })
  yield* Stream.fromIterable(tasksOf(responses)).pipe(
    Stream.mapEffect(batchOf),
    Stream.filter((batches) => batches.length > 0),
    Stream.map(united),
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

/** What landed in one transaction: a set may have come in several pages. */
const united = (batches: ReadonlyArray<Batch>): Batch => ({
  rows: batches.flatMap(({ rows }) => rows),
  ...(batches[0]?.runId === undefined ? {} : { runId: batches[0].runId }),
  bookkeeping: [],
})

const tasksOf = (
  responses: ReadonlyArray<IndexedResponse>,
): ReadonlyArray<ReadonlyArray<IndexedResponse>> => [
  ...Map.groupBy(
    responses,
    ({ runId, pipeline, entity, window }) => `${runId} ${pipeline} ${entity} ${window}`,
  ).values(),
]
