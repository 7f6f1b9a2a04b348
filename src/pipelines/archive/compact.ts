// Joins the archive's segments of each past month into one, with each body once. Parquet needs no compaction, since it
// has one file per table and month; the database reuses its free space by itself.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../../domain/values/time.ts"
import { rewriteSegments } from "../../archive/rewrite.ts"
import { monthOf, SEGMENT_SUFFIX, segmentBytes, segmentFiles } from "../../archive/segments.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { removeSegments } from "./archivedRows.ts"
import { moveIndex } from "../../load/state/archiveIndex.ts"
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
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const thisMonth = formatInstant(now).slice(0, 7).replace("-", "")
  const before = yield* inArchive(() => segmentFiles(store))
  const bytesBefore = yield* inArchive(() => segmentBytes(store))
  for (const [month, files] of Map.groupBy(before, monthOf)) {
    if (month >= thisMonth || files.length < 2) continue
    const target = `${month}.${now.toString(36)}${SEGMENT_SUFFIX}`
    const moved = yield* inArchive(() =>
      rewriteSegments({ store, files, target, isWanted: () => true }),
    )
    yield* moveIndex(files, moved)
    yield* removeSegments(store, files)
  }
  return {
    segmentsBefore: before.length,
    segmentsAfter: (yield* inArchive(() => segmentFiles(store))).length,
    bytesBefore,
    bytesAfter: yield* inArchive(() => segmentBytes(store)),
  } satisfies CompactSummary
})
