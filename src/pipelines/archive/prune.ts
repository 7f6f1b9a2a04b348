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
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/time.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { existingWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import { removeSegments } from "./archivedRows.ts"
import { forgetPruned, knownRuns, moveIndex, prunable } from "./archiveIndex.ts"
import { endAllRuns } from "../run/endDeadRuns.ts"

export interface PruneOptions extends Place {
  readonly olderThanDays: number
  /** Changes nothing. */
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
  const rows = yield* warehouse.exclusively("Reading what stays", (session) =>
    prunable(session, coreTables, oldest),
  )
  const indexed = new Map<string, boolean>()
  // Bodies that stay, with the segment they lie in.
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
  // What a killed run did not commit is dropped by age alone. Runs of a warehouse that was lost stay whole until a
  // replay has indexed them.
  const stays =
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
      inArchive(() => countLines(store, file, stays(file))),
      (lines) => ({ file, ...lines }),
    ),
  )
  const emptied = parts.filter(({ stay }) => stay === 0).map(({ file }) => file)
  const mixed = parts.filter(({ stay, go }) => stay > 0 && go > 0).map(({ file }) => file)
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
      rewriteSegments({ store, files: [file], target, isWanted: stays(file) }),
    )
    yield* moveIndex([file], moved)
  }
  yield* forgetPruned(oldest)
  yield* removeSegments(store, [...emptied, ...mixed])
  return { ...summary, bytesAfter: yield* inArchive(() => segmentBytes(store)) }
})

/** SHA-256 of the bodies of these responses, wherever they lie. */
const bodiesOf = async (
  store: ArchiveStore,
  files: ReadonlyArray<string>,
  isOne: (line: ResponseLine) => boolean,
): Promise<ReadonlySet<string>> => {
  const bodies = new Set<string>()
  for (const file of files) {
    for await (const { responses } of readWholeFrames(store, file)) {
      for (const line of responses) if (isOne(line)) bodies.add(line.sha256)
    }
  }
  return bodies
}

const countLines = async (
  store: ArchiveStore,
  file: string,
  stays: (line: ResponseLine) => boolean,
): Promise<{ readonly stay: number; readonly go: number }> => {
  let stay = 0
  let go = 0
  for await (const { responses } of readWholeFrames(store, file)) {
    for (const line of responses) {
      if (stays(line)) stay += 1
      else go += 1
    }
  }
  return { stay, go }
}
