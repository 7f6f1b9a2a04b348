// Joins the archive's segments of each month into one, with each body once. Parquet needs no compaction, since it has one file
// per table and month; the database reuses its free space by itself.
import * as Effect from "effect/Effect"
import { monthOf, segmentBytes, segmentFiles } from "../../archive/segments.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { findMoved } from "../retention/findMoved.ts"
import { joinSegments, removeSegments } from "../retention/joinSegments.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"

export interface CompactSummary {
  readonly segmentsBefore: number
  readonly segmentsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

const JOINING = "Joining the archive's files"

export const compact = (place: Place) =>
  compacted(placeOf(place)).pipe(
    Effect.provide(existingWarehouse(JOINING, { ...placeOf(place), runId: "compact" })),
  )

const compacted = Effect.fnUntraced(function* (place: Place) {
  // A run in progress may still commit references to the old segments.
  yield* endAllRuns(JOINING, place)
  const store = archiveOf(place)
  const before = yield* inArchive(() => segmentFiles(store))
  const bytesBefore = yield* inArchive(() => segmentBytes(store))
  yield* findMoved(store, before, true)
  const replaced = yield* joinSegments(store, [...Map.groupBy(before, monthOf).values()])
  yield* removeSegments(store, replaced)
  return {
    segmentsBefore: before.length,
    segmentsAfter: (yield* inArchive(() => segmentFiles(store))).length,
    bytesBefore,
    bytesAfter: yield* inArchive(() => segmentBytes(store)),
  } satisfies CompactSummary
})
