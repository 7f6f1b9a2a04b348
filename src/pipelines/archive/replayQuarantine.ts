// Loads what was set aside, once this version can read it, and closes its entries. Sends nothing.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { tableName } from "../../domain/table.ts"
import { formatInstant, microsFromMillis } from "../../domain/time.ts"
import { storedTables } from "../../load/ddl.ts"
import { replaceTables } from "../../load/replaceTables.ts"
import { gaps } from "../../load/tables/gaps.ts"
import { quarantine } from "../../load/tables/quarantine.ts"
import { responses as responsesTable } from "../../load/tables/responses.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import {
  archiveReader,
  indexColumns,
  indexedResponse,
  type IndexedResponse,
  pipelineOf,
  rowsOfArchived,
} from "./archived.ts"
import { existingWarehouse } from "../readers/existingWarehouse.ts"
import { publishNews } from "../readers/publish.ts"
import { ownRows } from "../run/suspicion.ts"
import { landedResponses, rebuiltBeside, refuseIfIncomplete, type ReplayOptions } from "./replay.ts"

export interface StillBroken {
  readonly responseId: string
  readonly pipeline: string
  readonly entity: string
  readonly path: string
  readonly detail: string
}

export interface QuarantineSummary {
  readonly closed: number
  readonly rows: number
  readonly stillBroken: ReadonlyArray<StillBroken>
  readonly published: boolean
}

export const replayQuarantine = (options: ReplayOptions) =>
  replayed(options).pipe(
    Effect.provide(
      existingWarehouse("Loading what was quarantined", {
        dataDir: options.dataDir,
        runId: "replay",
      }),
    ),
  )

const replayed = Effect.fnUntraced(function* (options: ReplayOptions) {
  const { readable, landable, stillBroken } = yield* judged(options)
  const rows = landable.length === 0 ? 0 : yield* putInPlace(options, landable)
  for (const response of readable) yield* settle(response)
  const published =
    options.publish !== undefined && (yield* publishNews(options.publish, () => undefined))
  return { closed: readable.length, rows, stillBroken, published } satisfies QuarantineSummary
})

/** What is in quarantine, by whether this version can read it and whether that makes rows. */
const judged = Effect.fnUntraced(function* ({ dataDir, timeFields }: ReplayOptions) {
  const warehouse = yield* Warehouse
  const reader = archiveReader(dataDir)
  const open = (yield* warehouse.rows(
    `select ${indexColumns} from raw.responses
     where response_id in (select response_id from ops.quarantine where closed_at is null)
     order by received_at`,
  )).map(indexedResponse)
  const readable: Array<IndexedResponse> = []
  const landable: Array<IndexedResponse> = []
  const stillBroken: Array<StillBroken> = []
  for (const response of open) {
    const { responseId, pipeline, entity } = response
    const mapped = yield* rowsOfArchived(reader, response, timeFields)
    if (Result.isFailure(mapped)) {
      stillBroken.push({ responseId, pipeline, entity, ...mapped.failure })
      continue
    }
    readable.push(response)
    // A single empty answer is not believed, as in a run: it ends nothing.
    if (ownRows(mapped.success.rows).some(({ length }) => length > 0)) landable.push(response)
  }
  return { readable, landable, stillBroken }
})

/**
 * Makes the tables again that the answers fill, from all answers in the order in which they came: what was said
 * after one of them stays the last word, and what it said is known to have been said. Tells how many rows they made.
 */
const putInPlace = Effect.fnUntraced(function* (
  options: ReplayOptions,
  landable: ReadonlyArray<IndexedResponse>,
) {
  const warehouse = yield* Warehouse
  const filled = new Set(landable.flatMap(({ pipeline }) => pipelineOf(pipeline)?.tables ?? []))
  const tables = [...filled]
  yield* refuseIfIncomplete(tables)
  const others = (yield* landedResponses).filter(({ pipeline }) =>
    pipelineOf(pipeline)?.tables.some((table) => filled.has(table)),
  )
  const responses = [...others, ...landable].toSorted((a, b) => a.receivedAt - b.receivedAt)
  const ids = landable.map(({ responseId }) => text(responseId)).join(", ")
  yield* rebuiltBeside(options, responses, (beside) =>
    // Before the rows: those of a response that has not landed would be no replay's to make again.
    warehouse
      .execute(
        [`update raw.responses set is_landed = true where response_id in (${ids})`],
        [responsesTable],
      )
      .pipe(Effect.andThen(replaceTables(tables, beside))),
  )
  const counted = tables
    .flatMap(storedTables)
    .map((table) => `select 1 from ${tableName(table)} where _response_id in (${ids})`)
  const [count] = yield* warehouse.rows(
    `select count(*)::double as rows from (${counted.join(" union all ")})`,
  )
  return Number(count?.["rows"] ?? 0)
})

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** After its rows: a stop in between puts the same rows in their place again. */
const settle = Effect.fnUntraced(function* (response: IndexedResponse) {
  const warehouse = yield* Warehouse
  const now = formatInstant(microsFromMillis(yield* Clock.currentTimeMillis)).replace("Z", "")
  const id = text(response.responseId)
  yield* warehouse.execute(
    [
      `update ops.quarantine set closed_at = timestamp '${now}' where response_id = ${id}`,
      // The days its task asked for.
      `update ops.gaps set state = 'closed', detail = 'loaded from quarantine', updated_at = timestamp '${now}'
       where pipeline = ${text(response.pipeline)} and entity = ${text(response.entity)}
         and state = 'open' and reason = 'quarantined'
         and (from_at::date, to_at::date) in (
           select (covers_from, covers_to) from ops.tasks
           where run_id = ${text(response.runId)} and pipeline = ${text(response.pipeline)}
             and entity = ${text(response.entity)} and "window" = ${text(response.window)})`,
    ],
    [quarantine, gaps],
  )
})
