// Joins the archive's segments of each month that is over into one, with each body once. Parquet has one file a month
// and table by construction; the database gives space back by itself.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../../domain/time.ts"
import { rewriteSegments } from "../../archive/rewrite.ts"
import {
  archiveDirectory,
  monthOf,
  SEGMENT_SUFFIX,
  segmentBytes,
  segmentFiles,
} from "../../archive/segments.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { archiveError, removeSegments } from "./archivedRows.ts"
import { moveIndex } from "./archiveIndex.ts"
import { endDeadRuns } from "../run/endDeadRuns.ts"

export interface CompactSummary {
  readonly segmentsBefore: number
  readonly segmentsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

export const compact = (place: Place) =>
  compacted(place.dataDir).pipe(
    Effect.provide(
      existingWarehouse("Joining the archive's files", { ...placeOf(place), runId: "compact" }),
    ),
  )

const compacted = Effect.fnUntraced(function* (dataDir: string) {
  yield* endDeadRuns(dataDir)
  const directory = archiveDirectory(dataDir)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const thisMonth = formatInstant(now).slice(0, 7).replace("-", "")
  const before = segmentFiles(directory)
  const bytesBefore = segmentBytes(directory)
  for (const [month, files] of Map.groupBy(before, monthOf)) {
    if (month >= thisMonth || files.length < 2) continue
    const target = `${month}.${now.toString(36)}${SEGMENT_SUFFIX}`
    const moved = yield* Effect.tryPromise({
      try: () => rewriteSegments({ directory, files, target, isWanted: () => true }),
      catch: archiveError,
    })
    yield* moveIndex(files, moved)
    yield* removeSegments(directory, files)
  }
  return {
    segmentsBefore: before.length,
    segmentsAfter: segmentFiles(directory).length,
    bytesBefore,
    bytesAfter: segmentBytes(directory),
  } satisfies CompactSummary
})
