// Joins the archive's segments of each month into one, or into several where one would be large, with each body once. Parquet
// needs no compaction, since it has one file per table and month; the database reuses its free space by itself.
import * as Effect from "effect/Effect"
import { monthOf, segmentBytes } from "../../archive/segments.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import {
  type Published,
  publishMoves,
  publishNewsEverywhere,
  type PublishOptions,
} from "../publication/publish.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { findMoved } from "../retention/findMoved.ts"
import { inGroups, joinable, joinSegments, removeSegments } from "../retention/joinSegments.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"
import { markLandedAgain } from "./markLanded.ts"

export interface CompactSummary extends Published {
  readonly segmentsBefore: number
  readonly segmentsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

const JOINING = "Joining the archive's files"

export interface CompactOptions extends Place {
  /** Absent: nothing is published, and `trace` does not find what was moved until it is. */
  readonly publish?: PublishOptions | undefined
}

export const compact = Effect.fnUntraced(function* (options: CompactOptions) {
  const runId = yield* commandId("compact")
  return yield* compacted(options).pipe(
    Effect.provide(existingWarehouse(JOINING, { ...placeOf(options), runId })),
  )
})

const compacted = Effect.fnUntraced(function* (options: CompactOptions) {
  // A run in progress may still commit references to the old segments.
  yield* endAllRuns(JOINING, options)
  const publish = yield* publishMoves(options.publish)
  const store = archiveOf(options)
  yield* markLandedAgain(store)
  const before = yield* inArchive(() => store.segments())
  const bytesBefore = yield* inArchive(() => segmentBytes(store))
  yield* findMoved(
    store,
    before.map(({ file }) => file),
    true,
  )
  const months = Map.groupBy(yield* joinable(before), ({ file }) => monthOf(file))
  const replaced = yield* joinSegments(store, [...months.values()].flatMap(inGroups))
  // Until readers have learnt where bodies are now, they look for them in the old segments.
  const published = yield* publishNewsEverywhere(publish)
  yield* removeSegments(store, replaced)
  return {
    ...published,
    segmentsBefore: before.length,
    segmentsAfter: (yield* inArchive(() => store.segments())).length,
    bytesBefore,
    bytesAfter: yield* inArchive(() => segmentBytes(store)),
  } satisfies CompactSummary
})
