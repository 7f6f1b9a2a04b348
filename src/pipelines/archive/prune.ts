// Drops archived responses older than an age, except those that stored rows or open quarantine entries refer to.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import type { ResponseLine } from "../../archive/lines.ts"
import { rewriteSegments } from "../../archive/rewrite.ts"
import {
  readWholeFrames,
  prunedSegment,
  runOfSegment,
  segmentBytes,
  segmentFiles,
} from "../../archive/segments.ts"
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/values/time.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../pipelines.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { removeSegments } from "./archivedRows.ts"
import { forgetPruned, knownRuns, moveIndex, prunable } from "../../load/state/archiveIndex.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"

export interface PruneOptions extends Place {
  readonly olderThanDays: number
  /** Only reports what would be dropped. */
  readonly dryRun: boolean
}

export interface PruneSummary {
  readonly dropped: number
  readonly kept: number
  readonly segmentsRemoved: number
  readonly segmentsRewritten: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

const PRUNING = "Pruning the archive"

export const prune = (options: PruneOptions) =>
  pruned(options).pipe(
    Effect.provide(existingWarehouse(PRUNING, { ...placeOf(options), runId: "prune" })),
  )

const pruned = Effect.fnUntraced(function* (options: PruneOptions) {
  // A run in progress may still commit references to the old segments.
  yield* endAllRuns(PRUNING, options)
  const store = archiveOf(options)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const oldest = now - options.olderThanDays * MICROS_PER_DAY
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.exclusively("Finding the responses to keep", (session) =>
    prunable(session, coreTables, oldest),
  )
  const indexed = new Map<string, boolean>()
  // Bodies to keep, each with the segment that holds it.
  const wanted = new Set<string>()
  for (const { responseId, sha256, file, isPrunable } of rows) {
    indexed.set(responseId, !isPrunable)
    if (!isPrunable) wanted.add(`${file} ${sha256}`)
  }
  const runs = yield* knownRuns
  const files = yield* inArchive(() => segmentFiles(store))
  const isOfUnknownRun = ({ runId }: ResponseLine): boolean => !runs.has(runId)
  const ofUnknownRuns = yield* inArchive(() =>
    bodiesOf(
      store,
      files.filter((file) => !runs.has(runOfSegment(file))),
      isOfUnknownRun,
    ),
  )
  // What a killed run did not commit is dropped by age alone. Runs of a lost warehouse are kept whole until a replay
  // has indexed them.
  const isKeptIn =
    (file: string) =>
    (line: ResponseLine): boolean => {
      const { responseId, sha256, body, receivedAt } = line
      return (
        (body === undefined && indexed.get(responseId) === true) ||
        (body !== undefined && (wanted.has(`${file} ${sha256}`) || ofUnknownRuns.has(sha256))) ||
        (!indexed.has(responseId) && (receivedAt >= oldest || isOfUnknownRun(line)))
      )
    }
  const dropped = [...indexed.values()].filter((isKept) => !isKept).length
  const parts = yield* Effect.forEach(files, (file) =>
    Effect.map(
      inArchive(() => countLines(store, file, isKeptIn(file))),
      (lines) => ({ file, ...lines }),
    ),
  )
  const emptied = parts.filter(({ kept }) => kept === 0).map(({ file }) => file)
  const mixed = parts
    .filter(({ kept, dropped: gone }) => kept > 0 && gone > 0)
    .map(({ file }) => file)
  const bytesBefore = yield* inArchive(() => segmentBytes(store))
  const summary = {
    dropped,
    kept: rows.length - dropped,
    segmentsRemoved: emptied.length,
    segmentsRewritten: mixed.length,
    bytesBefore,
    bytesAfter: bytesBefore,
  } satisfies PruneSummary
  if (options.dryRun || dropped === 0) return summary
  for (const file of mixed) {
    const target = prunedSegment(file, now)
    const moved = yield* inArchive(() =>
      rewriteSegments({ store, files: [file], target, isWanted: isKeptIn(file) }),
    )
    yield* moveIndex([file], moved)
  }
  yield* forgetPruned(oldest)
  yield* removeSegments(store, [...emptied, ...mixed])
  return { ...summary, bytesAfter: yield* inArchive(() => segmentBytes(store)) }
})

/** SHA-256 hashes of the bodies of the matching responses, whichever segments hold them. */
const bodiesOf = async (
  store: ArchiveStore,
  files: ReadonlyArray<string>,
  matches: (line: ResponseLine) => boolean,
): Promise<ReadonlySet<string>> => {
  const bodies = new Set<string>()
  for (const file of files) {
    for await (const { responses } of readWholeFrames(store, file)) {
      for (const line of responses) if (matches(line)) bodies.add(line.sha256)
    }
  }
  return bodies
}

const countLines = async (
  store: ArchiveStore,
  file: string,
  isKeptIn: (line: ResponseLine) => boolean,
): Promise<{ readonly kept: number; readonly dropped: number }> => {
  let kept = 0
  let dropped = 0
  for await (const { responses } of readWholeFrames(store, file)) {
    for (const line of responses) {
      if (isKeptIn(line)) kept += 1
      else dropped += 1
    }
  }
  return { kept, dropped }
}
