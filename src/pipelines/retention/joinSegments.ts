// Joins segments of the archive, with each body once. The old ones are for the caller to remove, since readers of the published
// copy know no other place. A process that stops halfway leaves a response in two segments, which are joined another time.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis } from "../../domain/values/time.ts"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { rewriteSegments } from "../../archive/rewrite.ts"
import { monthOf, SEGMENT_SUFFIX } from "../../archive/segments.ts"
import { moveIndex } from "../../load/state/archiveIndex.ts"
import { inArchive } from "../publication/archiveOf.ts"

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
    const moved = yield* inArchive(() =>
      rewriteSegments({ store, files, target, isWanted: () => true }),
    )
    yield* moveIndex(files, moved)
  }
  return several.flat()
})

export const removeSegments = (store: ArchiveStore, files: ReadonlyArray<string>) =>
  Effect.forEach(files, (file) => inArchive(() => store.remove(file)), { discard: true })
