// Commit markers of responses that landed after their run.
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { commitMarkerLine } from "../../archive/lines.ts"
import { readFrames } from "../../archive/readFrames.ts"
import { appendLines } from "../../archive/rewrite.ts"
import { Commits, segmentFiles, segmentsOf } from "../../archive/segments.ts"
import { type IndexedResponse, indexedResponses } from "../../load/state/archiveIndex.ts"
import { changeArchive, inArchive } from "../publication/archiveOf.ts"

/**
 * Marks them as landed in the archive, once their rows are committed, so that a replay without this warehouse makes the same rows.
 * The markers are in the segment of their responses, so that they stay together and in their order.
 */
export const markLanded = Effect.fnUntraced(function* (
  store: ArchiveStore,
  responses: ReadonlyArray<IndexedResponse>,
) {
  for (const [file, ofFile] of yield* inArchive(() => segmentsOf(store, responses))) {
    const markers = ofFile.map(({ responseId, runId, pipeline, entity, window }) =>
      commitMarkerLine({
        runId,
        pipeline,
        entity,
        window,
        outcome: "landed",
        landed: [responseId],
        notLanded: [],
      }),
    )
    yield* changeArchive(() => appendLines(store, file, markers))
  }
})

/**
 * Marks the responses again that landed by the index while their last marker says otherwise: a `replay --quarantine` ended between
 * its commit and its markers, or it was that of version 1.0.0, which wrote them to the last segment of the run, and lost them or took
 * older ones for the last.
 */
export const markLandedAgain = Effect.fnUntraced(function* (store: ArchiveStore) {
  const commits = new Commits()
  yield* inArchive(async () => {
    for (const file of await segmentFiles(store)) {
      for await (const frame of readFrames(store, file)) commits.add(frame)
    }
  })
  const landed = yield* indexedResponses("is_landed")
  const isMarked = ({ responseId }: IndexedResponse): boolean =>
    commits.markerOf(responseId)?.landed.includes(responseId) !== false
  const others = landed.filter((response) => !isMarked(response))
  if (others.length > 0) yield* markLanded(store, others)
})
