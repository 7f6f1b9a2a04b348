// Finds the bodies again whose segment in the index is gone. So it is where the index is older than the archive: after a restore, or
// in a warehouse as it was before its migration.
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { placesIn } from "../../archive/segments.ts"
import { indexedFiles, moveIndex } from "../../load/state/archiveIndex.ts"
import { inArchive } from "../publication/archiveOf.ts"

/**
 * Records where they are now; without `isThorough`, looks only in segments that the index does not name, as is one that was
 * joined after the index was saved. Reads nothing if all segments of the index are among `stored`. For a process that has the
 * warehouse to itself.
 */
export const findMoved = Effect.fnUntraced(function* (
  store: ArchiveStore,
  stored: ReadonlyArray<string>,
  isThorough: boolean,
) {
  const here = new Set(stored)
  const goneOf = (named: ReadonlySet<string>) => [...named].filter((file) => !here.has(file))
  const named = yield* indexedFiles
  const isNew = (file: string): boolean => !named.has(file)
  const others = isThorough ? stored.filter((file) => named.has(file)) : []
  let gone = goneOf(named)
  for (const file of [...stored.filter(isNew), ...others]) {
    if (gone.length === 0) return
    yield* moveIndex(gone, yield* inArchive(() => placesIn(store, file)))
    gone = goneOf(yield* indexedFiles)
  }
})
