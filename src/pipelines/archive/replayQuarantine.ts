// Loads quarantined responses that this version can read, and closes their entries, without a request.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ArchiveReader, segmentFiles } from "../../archive/segments.ts"
import { counted } from "../../domain/values/numbers.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { LoadError } from "../../load/errors.ts"
import { replaceTables } from "../../load/transfer/replaceTables.ts"
import {
  type IndexedResponse,
  indexedResponses,
  isUnread,
  landedInIndex,
} from "../../load/state/archiveIndex.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { entriesClosed } from "../run/task/quarantine.ts"
import type { MappedResponse } from "../../transform/Source.ts"
import { countRowsOf } from "./rowsOfResponses.ts"
import { existingWarehouse, placeOf } from "../publication/warehouse.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { recordHealth } from "../publication/health.ts"
import { findMoved } from "../retention/findMoved.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"
import { type Published, publishNewsEverywhere } from "../publication/publish.ts"
import { hasRows } from "../strategies/taskResult.ts"
import { datedSnapshots } from "../pipelines.ts"
import { pipelineOf, rowsOfArchived } from "./archivedRows.ts"
import { markLanded, markLandedAgain } from "./markLanded.ts"
import { type LostRows, lostTo, withRebuilt } from "./rebuild.ts"
import type { ReplayOptions } from "./replay.ts"

export interface StillBroken {
  readonly responseId: string
  readonly pipeline: string
  readonly entity: string
  readonly path: string
  readonly detail: string
}

export interface QuarantineSummary extends Published {
  readonly closed: number
  readonly rows: number
  readonly stillBroken: ReadonlyArray<StillBroken>
}

const LOADING = "Loading quarantined responses"

export const replayQuarantine = Effect.fnUntraced(function* (options: ReplayOptions) {
  const runId = yield* commandId("replay")
  const opened = existingWarehouse(LOADING, { ...placeOf(options), runId })
  return yield* replayed(options).pipe(Effect.provide(opened))
})

const replayed = Effect.fnUntraced(function* (options: ReplayOptions) {
  yield* endAllRuns(LOADING, options)
  const store = archiveOf(options)
  yield* markLandedAgain(store)
  yield* findMoved(store, yield* inArchive(() => segmentFiles(store)), true)
  const reader = new ArchiveReader(store)
  const { landable, empty, stillBroken } = yield* openResponses(reader, options)
  const earlier = yield* earlierSnapshots(reader, options)
  const { landed, rows, refused } =
    landable.length + earlier.length === 0
      ? { landed: 0, rows: 0, refused: [] }
      : yield* load(options, landable, earlier)
  if (empty.length > 0) {
    const { execute } = yield* Warehouse
    const { statements, changed } = yield* entriesClosed(empty)
    yield* execute(statements, changed)
  }
  yield* recordHealth
  const published = yield* publishNewsEverywhere(options.publish)
  return {
    closed: landed + empty.length,
    rows,
    stillBroken: [...stillBroken, ...refused],
    ...published,
  } satisfies QuarantineSummary
})

const open = "(response_id in (select response_id from ops.quarantine where closed_at is null))"

/** Responses that did not land, nor did others of their task: the entry of a task that the warehouse refused names the last alone. */
const partsOfTasks = `${open} and not is_landed and exists (
  select 1 from raw.responses as other
  where other.run_id = responses.run_id and other.pipeline = responses.pipeline
    and other.entity = responses.entity and other."window" = responses."window"
    and other.response_id <> responses.response_id
    and not other.is_landed and other.status between 200 and 299)`

const partOfSet = {
  path: "$",
  detail: "can be read now, but is not all of its set: the next `sync` reads all of it",
}

/** Responses in quarantine: those that make rows, those that this version reads as empty, and those it can't read. */
const openResponses = Effect.fnUntraced(function* (reader: ArchiveReader, options: ReplayOptions) {
  const parts = new Set((yield* indexedResponses(partsOfTasks)).map(({ responseId }) => responseId))
  const landable: Array<IndexedResponse> = []
  const empty: Array<IndexedResponse> = []
  const stillBroken: Array<StillBroken> = []
  for (const response of yield* indexedResponses(open)) {
    const { responseId, pipeline, entity } = response
    const mapped = yield* rowsOfArchived(reader, response, options)
    if (Result.isFailure(mapped)) {
      stillBroken.push({ responseId, pipeline, entity, ...mapped.failure })
      continue
    }
    const [rejected] = mapped.success.rejected
    if (rejected !== undefined) {
      stillBroken.push({ responseId, pipeline, entity, ...rejected })
      continue
    }
    // Alone it would retire the members on the others.
    if (
      parts.has(responseId) &&
      mapped.success.rows.some(({ mergeKey }) => mergeKey !== undefined)
    ) {
      stillBroken.push({ responseId, pipeline, entity, ...partOfSet })
      continue
    }
    // As in a run, a single empty response retires nothing.
    const readable = hasRows(mapped.success.rows) ? landable : empty
    readable.push(response)
  }
  return { landable, empty, stillBroken }
})

/** Whether it makes rows, and not only the end of some. */
const makesRows = ({ rows, rejected }: MappedResponse): boolean =>
  rejected.length === 0 &&
  rows.some(({ secondary, length }) => secondary === undefined && length > 0)

/**
 * Dated snapshots that this version can read and whose entry a later response has replaced or closed: none has what they
 * have.
 */
const earlierSnapshots = Effect.fnUntraced(function* (
  reader: ArchiveReader,
  options: ReplayOptions,
) {
  const readable: Array<IndexedResponse> = []
  const closed = yield* indexedResponses(`not ${open} and ${isUnread(datedSnapshots)}`)
  for (const response of closed) {
    const mapped = yield* rowsOfArchived(reader, response, options)
    if (Result.isSuccess(mapped) && makesRows(mapped.success)) readable.push(response)
  }
  return readable
})

/**
 * Rebuilds the tables that the responses fill, from all responses in the order in which they were received: a newer
 * response takes precedence even if no row names it. Returns how many responses landed, how many rows come from them, and those
 * with an open entry whose rows the warehouse refuses still.
 */
const load = Effect.fnUntraced(function* (
  options: ReplayOptions,
  ofOpenEntries: ReadonlyArray<IndexedResponse>,
  others: ReadonlyArray<IndexedResponse>,
) {
  const landable = [...ofOpenEntries, ...others]
  const filled = new Set(landable.flatMap(({ pipeline }) => pipelineOf(pipeline)?.tables ?? []))
  const tables = [...filled]
  const landedBefore = (yield* indexedResponses("is_landed")).filter(({ pipeline }) =>
    pipelineOf(pipeline)?.tables.some((table) => filled.has(table)),
  )
  const responses = [...landedBefore, ...landable].toSorted((a, b) => a.receivedAt - b.receivedAt)
  return yield* withRebuilt(
    options,
    responses,
    Effect.fnUntraced(function* (rebuiltDir, leftOut) {
      const { lost, unreadable } = yield* lostTo(leftOut, tables, rebuiltDir)
      const [first] = lost
      if (first !== undefined) return yield* wouldLose(first)
      const whys = new Map(unreadable.map(({ responseId, why }) => [responseId, why]))
      const refused = ofOpenEntries.flatMap(({ responseId, pipeline, entity }) => {
        const detail = whys.get(responseId)
        return detail === undefined ? [] : [{ responseId, pipeline, entity, path: "$", detail }]
      })
      const landed = landable.filter(({ responseId }) => !whys.has(responseId))
      const ids = landed.map(({ responseId }) => responseId)
      if (landed.length === 0) return { landed: 0, rows: 0, refused }
      const [indexed, closed] = [landedInIndex(ids), yield* entriesClosed(landed)]
      yield* replaceTables(tables, rebuiltDir, {
        statements: [...indexed.statements, ...closed.statements],
        changed: [...indexed.changed, ...closed.changed],
      })
      // After the commit: the index shows which marker is missing, and nothing shows which one has no commit.
      yield* markLanded(archiveOf(options), landed)
      return { landed: landed.length, rows: yield* countRowsOf(tables, ids), refused }
    }),
  )
})

const wouldLose = ({ table, rows }: LostRows): LoadError =>
  new LoadError({
    reason: "Files",
    what: LOADING,
    why: `${counted(rows, "row")} of ${table} ${rows === 1 ? "comes" : "come"} from responses, or records of them, that can't be read again`,
    advice: "Nothing was changed: rebuilding the table would lose them.",
  })
