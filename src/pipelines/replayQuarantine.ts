// Loads what was set aside, once this version can read it, and closes its entries. Sends nothing.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { formatInstant, microsFromMillis } from "../domain/time.ts"
import { gaps } from "../load/tables/gaps.ts"
import { quarantine } from "../load/tables/quarantine.ts"
import { responses } from "../load/tables/responses.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { archiveReader, indexColumns, indexedResponse, rowsOfArchived } from "./archived.ts"
import { existingWarehouse } from "./existingWarehouse.ts"
import { publishNews } from "./publish.ts"
import type { ReplayOptions } from "./replay.ts"

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
  const warehouse = yield* Warehouse
  const reader = archiveReader(options.dataDir)
  const open = (yield* warehouse.rows(
    `select ${indexColumns} from raw.responses
     where response_id in (select response_id from ops.quarantine where closed_at is null)
     order by received_at`,
  )).map(indexedResponse)
  const stillBroken: Array<StillBroken> = []
  let rows = 0
  for (const [index, response] of open.entries()) {
    const { responseId, pipeline, entity, window, runId } = response
    const mapped = yield* rowsOfArchived(reader, response, options.timeFields)
    if (Result.isFailure(mapped)) {
      stillBroken.push({ responseId, pipeline, entity, ...mapped.failure })
    } else {
      const committed = yield* warehouse.commit({
        rows: mapped.success.rows,
        runId,
        bookkeeping: [],
      })
      rows += committed.inserted + committed.revised
      // What it is now is recorded after its rows: a stop in between loads the same rows again, unchanged.
      yield* settle({ responseId, pipeline, entity, window })
    }
    options.onResponse(index + 1, open.length)
  }
  const published =
    options.publish !== undefined && (yield* publishNews(options.publish, () => undefined))
  const closed = open.length - stillBroken.length
  return { closed, rows, stillBroken, published } satisfies QuarantineSummary
})

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

const settle = Effect.fnUntraced(function* (response: {
  readonly responseId: string
  readonly pipeline: string
  readonly entity: string
  readonly window: string
}) {
  const warehouse = yield* Warehouse
  const now = formatInstant(microsFromMillis(yield* Clock.currentTimeMillis)).replace("Z", "")
  const id = text(response.responseId)
  yield* warehouse.execute(
    [
      `update ops.quarantine set closed_at = timestamp '${now}' where response_id = ${id}`,
      `update raw.responses set is_landed = true where response_id = ${id}`,
      // The window's days as its task spells them.
      `update ops.gaps set state = 'closed', detail = 'loaded from quarantine', updated_at = timestamp '${now}'
       where pipeline = ${text(response.pipeline)} and entity = ${text(response.entity)}
         and state = 'open' and reason = 'quarantined'
         and strftime(from_at, '%Y-%m-%d') || '..' || strftime(to_at, '%Y-%m-%d')
           = ${text(response.window)}`,
    ],
    [quarantine, responses, gaps],
  )
})
