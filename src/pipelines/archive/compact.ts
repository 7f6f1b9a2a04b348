// Makes few files of many: the archive's segments of each month that is over become one, a body in it once.
// Parquet has one file a month and table by construction; the database gives space back by itself.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { formatInstant, microsFromMillis } from "../../domain/time.ts"
import { rewriteSegments } from "../../extract/rewriteSegments.ts"
import { archiveDirectory, archiveError } from "./archived.ts"
import { existingWarehouse } from "../readers/existingWarehouse.ts"
import {
  moveIndex,
  removeSegments,
  SEGMENT_SUFFIX,
  segmentBytes,
  segmentFiles,
} from "./archiveFiles.ts"

export interface CompactSummary {
  readonly segmentsBefore: number
  readonly segmentsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

export const compact = (dataDir: string) =>
  compacted(dataDir).pipe(
    Effect.provide(existingWarehouse("Joining the archive's files", { dataDir, runId: "compact" })),
  )

// Segments begin with their run's start, YYYYMMDD…, or with their month.
const monthOf = (file: string): string => file.slice(0, 6)

const compacted = Effect.fnUntraced(function* (dataDir: string) {
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
