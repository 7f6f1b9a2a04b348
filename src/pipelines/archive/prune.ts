// Drops archived responses older than an age, except those that rows of the tables, or open quarantine, refer
// to.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/time.ts"
import type { ArchivedLine } from "../../extract/archiveLines.ts"
import { readSegment } from "../../extract/archiveSegments.ts"
import { rewriteSegments } from "../../extract/rewriteSegments.ts"
import { judgeResponses } from "../../load/archiveIndex.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { coreTables } from "../../transform/tables/index.ts"
import { archiveDirectory, archiveError } from "./archived.ts"
import { existingWarehouse } from "../readers/existingWarehouse.ts"
import {
  forgetResponses,
  knownRuns,
  moveIndex,
  removeSegments,
  runOfSegment,
  SEGMENT_SUFFIX,
  segmentBytes,
  segmentFiles,
} from "./archiveFiles.ts"

export interface PruneOptions {
  readonly dataDir: string
  readonly olderThanDays: number
  /** Only tells what would go. */
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

export const prune = (options: PruneOptions) =>
  pruned(options).pipe(
    Effect.provide(
      existingWarehouse("Pruning the archive", { dataDir: options.dataDir, runId: "prune" }),
    ),
  )

const pruned = Effect.fnUntraced(function* (options: PruneOptions) {
  const directory = archiveDirectory(options.dataDir)
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const oldest = now - options.olderThanDays * MICROS_PER_DAY
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.exclusively("Reading what stays", (session) =>
    judgeResponses(session, coreTables, oldest),
  )
  const indexed = new Map<string, boolean>()
  // Bodies that stay, with the segment they lie in.
  const wanted = new Set<string>()
  for (const { responseId, sha256, file, goes } of rows) {
    indexed.set(responseId, !goes)
    if (!goes) wanted.add(`${file} ${sha256}`)
  }
  const runs = yield* knownRuns
  const files = segmentFiles(directory)
  const isKnown = (file: string, runId: string): boolean =>
    runs.has(runId) || runs.has(runOfSegment(file))
  const others = files.filter((file) => !runs.has(runOfSegment(file)))
  const unheardOf = yield* Effect.tryPromise({
    try: () => bodiesOf(directory, others, ({ runId }) => !runs.has(runId)),
    catch: archiveError,
  })
  // A run that was killed may have archived what its index never heard of: that goes by its age alone. Runs of a
  // warehouse that was lost are a replay's to take in before anything of theirs goes.
  const stays =
    (file: string) =>
    ({ responseId, runId, sha256, body, receivedAt }: ArchivedLine): boolean =>
      (body === undefined && indexed.get(responseId) === true) ||
      (body !== undefined && (wanted.has(`${file} ${sha256}`) || unheardOf.has(sha256))) ||
      (!indexed.has(responseId) && (receivedAt >= oldest || !isKnown(file, runId)))
  const dropped = [...indexed.values()].filter((isKept) => !isKept).length
  const parts = yield* Effect.forEach(files, (file) =>
    Effect.map(
      Effect.tryPromise({
        try: () => countLines(directory, file, stays(file)),
        catch: archiveError,
      }),
      (lines) => ({ file, ...lines }),
    ),
  )
  const emptied = parts.filter(({ stay }) => stay === 0).map(({ file }) => file)
  const mixed = parts.filter(({ stay, go }) => stay > 0 && go > 0).map(({ file }) => file)
  const bytesBefore = segmentBytes(directory)
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
    const target = `${runOfSegment(file)}.${now.toString(36)}${SEGMENT_SUFFIX}`
    const moved = yield* Effect.tryPromise({
      try: () => rewriteSegments({ directory, files: [file], target, isWanted: stays(file) }),
      catch: archiveError,
    })
    yield* moveIndex([file], moved)
  }
  yield* forgetResponses(oldest)
  yield* removeSegments(directory, [...emptied, ...mixed])
  return { ...summary, bytesAfter: segmentBytes(directory) }
})

/** SHA-256 of what these responses said, wherever that lies. */
const bodiesOf = async (
  directory: string,
  files: ReadonlyArray<string>,
  isOne: (line: ArchivedLine) => boolean,
): Promise<ReadonlySet<string>> => {
  const bodies = new Set<string>()
  for (const file of files) {
    for await (const { lines } of readSegment(directory, file)) {
      for (const line of lines) if (isOne(line)) bodies.add(line.sha256)
    }
  }
  return bodies
}

const countLines = async (
  directory: string,
  file: string,
  stays: (line: ArchivedLine) => boolean,
): Promise<{ readonly stay: number; readonly go: number }> => {
  let stay = 0
  let go = 0
  for await (const { lines } of readSegment(directory, file)) {
    for (const line of lines) {
      if (stays(line)) stay += 1
      else go += 1
    }
  }
  return { stay, go }
}
