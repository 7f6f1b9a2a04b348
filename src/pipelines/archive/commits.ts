// Groups responses by commit: a task has one commit, unless two workers read it one after the other.
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { readFrames } from "../../archive/readFrames.ts"
import { Commits, monthOf, runOfSegment, segmentFiles } from "../../archive/segments.ts"
import { inArchive } from "../publication/archiveOf.ts"
import type { IndexedResponse } from "../../load/state/archiveIndex.ts"

/** Responses that were committed together. */
export type Commit = ReadonlyArray<IndexedResponse>

type Responses = ReadonlyArray<IndexedResponse>

/** The responses of each commit, in the order in which they were received. Fails if the archive can't be read. */
export const groupByCommit = Effect.fnUntraced(function* (
  store: ArchiveStore,
  responses: Responses,
) {
  const tasks = [
    ...Map.groupBy(responses, ({ runId, pipeline, entity, window }) =>
      JSON.stringify([runId, pipeline, entity, window]),
    ).values(),
  ]
  const repeating = new Set(tasks.filter(hasRepeatedRequest))
  if (repeating.size === 0) return tasks
  const runs = new Set([...repeating].flatMap((task) => task.map(({ runId }) => runId)))
  const { markerOf } = yield* inArchive(() => markersOf(store, runs))
  return tasks.flatMap((task) =>
    repeating.has(task)
      ? [...Map.groupBy(task, ({ responseId }) => markerOf(responseId)).values()]
      : [task],
  )
})

/** The index does not record commits; a task that repeats no request has one commit. */
const hasRepeatedRequest = (task: Responses): boolean =>
  new Set(task.map(({ inputs }) => inputs)).size < task.length

const markersOf = async (store: ArchiveStore, runs: ReadonlySet<string>) => {
  const names = new Set([...runs].flatMap((runId) => [runId, monthOf(runId)]))
  const commits = new Commits()
  for (const file of await segmentFiles(store)) {
    if (!names.has(runOfSegment(file))) continue
    for await (const frame of readFrames(store, file)) commits.add(frame)
  }
  return { markerOf: (responseId: string) => commits.markerOf(responseId) }
}
