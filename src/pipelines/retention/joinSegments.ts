// Joins segments of the archive, with each body once. The old ones are for the caller to remove, since readers of the published
// copy know no other place. A process that stops halfway leaves a response in two segments, which are joined another time.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis } from "../../domain/values/time.ts"
import type { ArchiveStore, StoredSegment } from "../../archive/ArchiveStore.ts"
import { rewriteSegments } from "../../archive/rewrite.ts"
import { monthOf, runOfSegment, SEGMENT_SUFFIX } from "../../archive/segments.ts"
import { knownRuns, moveIndex } from "../../load/state/archiveIndex.ts"
import { changeArchive } from "../publication/archiveOf.ts"

// Large segments are few, and joining them again costs more than it saves.
const LARGEST_BYTES = 64 * 1024 * 1024

/** Segments of one month in groups, in their order, of which each makes a segment that is not large; a large one stays alone. */
export const inGroups = (
  segments: ReadonlyArray<StoredSegment>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = [[]]
  let bytes = 0
  for (const segment of segments) {
    bytes += segment.bytes
    if (bytes > LARGEST_BYTES) {
      groups.push([])
      bytes = segment.bytes
    }
    groups.at(-1)?.push(segment.file)
  }
  return groups
}

/**
 * Those of a month, or of a run that this warehouse knows. Another warehouse with the same archive may be writing that of any other
 * run, and would lose what it appends to a file that is removed.
 */
export const joinable = Effect.fnUntraced(function* (segments: ReadonlyArray<StoredSegment>) {
  const runs = yield* knownRuns
  return segments.filter(({ file }) => {
    const run = runOfSegment(file)
    return run === monthOf(file) || runs.has(run)
  })
})

/** Makes one segment of each group, whose segments are of one month and in their order. Returns what it replaces. */
export const joinSegments = Effect.fnUntraced(function* (
  store: ArchiveStore,
  groups: ReadonlyArray<ReadonlyArray<string>>,
) {
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const several = groups.filter(({ length }) => length > 1)
  for (const [index, files] of several.entries()) {
    const [first = ""] = files
    const target = `${monthOf(first)}.${(now + index).toString(36)}${SEGMENT_SUFFIX}`
    const moved = yield* changeArchive(() =>
      rewriteSegments({ store, files, target, isWanted: () => true }),
    )
    yield* moveIndex(files, moved)
  }
  return several.flat()
})

export const removeSegments = (store: ArchiveStore, files: ReadonlyArray<string>) =>
  Effect.forEach(files, (file) => changeArchive(() => store.remove(file)), { discard: true })
