// Drops archived responses of before an instant, except those that stored rows or open quarantine entries refer to and, for a
// year, dated snapshots that no version could read; and the records of tasks, checks and runs that nothing needs any more.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import type { ResponseLine } from "../../archive/lines.ts"
import { isOfOthers, rewriteSegments } from "../../archive/rewrite.ts"
import { readWholeFrames } from "../../archive/readFrames.ts"
import {
  Commits,
  prunedSegment,
  runOfSegment,
  segmentBytes,
  segmentFiles,
} from "../../archive/segments.ts"
import { microsFromMillis, MICROS_PER_DAY } from "../../domain/values/time.ts"
import type { LoadError } from "../../load/errors.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { knownRuns, moveIndex } from "../../load/state/archiveIndex.ts"
import {
  countPrunable,
  findReferenced,
  retainedAstray,
  retainedIn,
} from "../../load/state/neededResponses.ts"
import { type Ages, findOldRecords, forget, forgetRuns } from "../../load/state/oldRecords.ts"
import { coreTables, datedSnapshots, withFixedWindows } from "../pipelines.ts"
import { archiveOf, changeArchive, inArchive } from "../publication/archiveOf.ts"
import type { Place } from "../publication/warehouse.ts"
import { findMoved } from "./findMoved.ts"
import { removeSegments } from "./joinSegments.ts"

export interface PruneSummary {
  readonly dropped: number
  readonly kept: number
  /** Tasks and results of checks. */
  readonly recordsDropped: number
  readonly segmentsRemoved: number
  readonly segmentsRewritten: number
  readonly bytesBefore: number
  readonly bytesAfter: number
}

// As long as a person may ask what went wrong.
const FAILURE_DAYS = 365

/** How old the records are that `pruneBefore` drops if it is called now. */
export const agesOf = (before: number, now: number): Ages => ({
  before,
  failuresBefore: Math.min(before, now - FAILURE_DAYS * MICROS_PER_DAY),
})

/** Finds the records that `pruneBefore` drops; how many there are. */
export const oldRecords = (ages: Ages) =>
  Effect.flatMap(Warehouse, ({ exclusively }) =>
    exclusively("Finding old records", (session) =>
      findOldRecords(session, ages, withFixedWindows),
    ),
  )

export interface Pruned {
  /** If nothing but `finish` follows; `bytesAfter` counts what it removes. */
  readonly summary: PruneSummary
  /** Removes the old segments, once no reader is led to them any more. */
  readonly finish: Effect.Effect<PruneSummary, LoadError, Warehouse>
}

/**
 * Prunes what is from before `oldest`, microseconds since 1970; no other run may be in progress. `replaced`: segments that others
 * have replaced, for the caller to remove.
 */
export const pruneBefore = Effect.fnUntraced(function* (
  place: Place,
  oldest: number,
  dryRun: boolean,
  replaced: ReadonlyArray<string> = [],
) {
  const store = archiveOf(place)
  const { exclusively, tables } = yield* Warehouse
  const now = microsFromMillis(yield* Clock.currentTimeMillis)
  const ages = agesOf(oldest, now)
  const recordsDropped = yield* oldRecords(ages)
  const others = new Set(replaced)
  const files = (yield* inArchive(() => segmentFiles(store))).filter((file) => !others.has(file))
  if (!dryRun) yield* findMoved(store, files, true)
  const { indexed, prunable, astray } = yield* exclusively(
    "Finding the responses to keep",
    async (session) => {
      const mayBeRead = { pipelines: datedSnapshots, since: ages.failuresBefore }
      await findReferenced(session, coreTables, oldest, mayBeRead)
      const counts = await countPrunable(session, oldest)
      return { ...counts, astray: await retainedAstray(session, files, oldest) }
    },
  )
  const runs = yield* knownRuns
  const ofUnknownRuns = yield* inArchive(() =>
    bodiesOf(
      store,
      files.filter((file) => !runs.has(runOfSegment(file))),
      ({ runId }) => !runs.has(runId),
    ),
  )
  const isKeptIn = (file: string) => isKept(store, file, { oldest, runs, ofUnknownRuns, astray })
  const parts = yield* Effect.forEach(files, (file) =>
    Effect.flatMap(isKeptIn(file), (isWanted) =>
      Effect.map(
        inArchive(() => countLines(store, file, isWanted)),
        (lines) => ({ file, ...lines }),
      ),
    ),
  )
  const emptied = parts.filter(isEmptied).map(({ file }) => file)
  const mixed = parts.filter((part) => !isEmptied(part) && part.dropped > 0).map(({ file }) => file)
  const bytesBefore = yield* inArchive(() => segmentBytes(store))
  const summary = {
    dropped: prunable,
    kept: indexed - prunable,
    recordsDropped,
    segmentsRemoved: emptied.length,
    segmentsRewritten: mixed.length,
    bytesBefore,
    bytesAfter: bytesBefore,
  } satisfies PruneSummary
  const isNothing = prunable + recordsDropped + emptied.length + mixed.length === 0
  if (dryRun || isNothing) return { summary, finish: Effect.succeed(summary) } satisfies Pruned
  for (const file of mixed) {
    const target = prunedSegment(file, now)
    const isWanted = yield* isKeptIn(file)
    const moved = yield* changeArchive(() =>
      rewriteSegments({ store, files: [file], target, isWanted }),
    )
    yield* moveIndex([file], moved)
  }
  yield* forget(oldest)
  const finish = Effect.gen(function* () {
    yield* removeSegments(store, [...emptied, ...mixed])
    yield* forgetRuns(ages, tables)
    return { ...summary, bytesAfter: yield* inArchive(() => segmentBytes(store)) }
  })
  return { summary, finish } satisfies Pruned
})

interface Kept {
  readonly oldest: number
  readonly runs: ReadonlySet<string>
  /** SHA-256 hashes. */
  readonly ofUnknownRuns: ReadonlySet<string>
  /** SHA-256 hashes of bodies that rows need, and that may be in any segment. */
  readonly astray: ReadonlySet<string>
}

/**
 * Whether a line of the segment stays; the lines must come in their order. What a killed run did not commit is dropped by age
 * alone. Runs of a lost warehouse are kept whole until a replay has indexed them.
 */
const isKept = Effect.fnUntraced(function* (
  store: ArchiveStore,
  file: string,
  { oldest, runs, ofUnknownRuns, astray }: Kept,
) {
  const { exclusively } = yield* Warehouse
  const { runIds, withBody } = yield* inArchive(() => linesIn(store, file))
  const rows = yield* exclusively("Finding the responses of a segment", (session) =>
    retainedIn(session, file, [...runIds], oldest),
  )
  const indexed = new Map(rows.map(({ responseId, isPrunable }) => [responseId, !isPrunable]))
  // Bodies in this segment that are needed, if only by responses of later runs.
  const ofRows = new Set(
    rows.filter((row) => row.file === file && !row.isPrunable).map(({ sha256 }) => sha256),
  )
  const isWanted = (sha256: string): boolean => ofRows.has(sha256) || astray.has(sha256)
  // A process that stops while it joins segments leaves a response in two. That the index names another segment does not mean
  // that it was moved there: its body may have been found there after a restore, in the line of another response.
  const elsewhere = rows.filter(
    (row) => withBody.has(row.responseId) && !row.isPrunable && !isWanted(row.sha256),
  )
  const copied = new Set<string>()
  for (const [other, ofOther] of Map.groupBy(elsewhere, (row) => row.file)) {
    const there = (yield* inArchive(() => linesIn(store, other))).responseIds
    for (const { responseId } of ofOther) if (there.has(responseId)) copied.add(responseId)
  }
  const bodies = new Set<string>()
  return ({ responseId, sha256, body, receivedAt, runId }: ResponseLine): boolean => {
    const isNeeded =
      indexed.get(responseId) === undefined
        ? receivedAt >= oldest || !runs.has(runId)
        : indexed.get(responseId) === true && !copied.has(responseId)
    // Of responses that nothing needs, the first that has a body that others need.
    const hasNeededBody =
      body !== undefined && !bodies.has(sha256) && (isWanted(sha256) || ofUnknownRuns.has(sha256))
    if (body !== undefined && (isNeeded || hasNeededBody)) bodies.add(sha256)
    return isNeeded || hasNeededBody
  }
})

interface SegmentLines {
  readonly runIds: ReadonlySet<string>
  readonly responseIds: ReadonlySet<string>
  /** The ids of responses whose own line has their body. */
  readonly withBody: ReadonlySet<string>
}

const linesIn = async (store: ArchiveStore, file: string): Promise<SegmentLines> => {
  const [runIds, responseIds, withBody] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for await (const { responses } of readWholeFrames(store, file)) {
    for (const { runId, responseId, body } of responses) {
      runIds.add(runId)
      responseIds.add(responseId)
      if (body !== undefined) withBody.add(responseId)
    }
  }
  return { runIds, responseIds, withBody }
}

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

interface Counted {
  readonly kept: number
  readonly dropped: number
  /** Whether it has markers of responses in other segments, which stay. */
  readonly hasOthersMarkers: boolean
}

const isEmptied = ({ kept, hasOthersMarkers }: Counted): boolean => kept === 0 && !hasOthersMarkers

const countLines = async (
  store: ArchiveStore,
  file: string,
  isKeptIn: (line: ResponseLine) => boolean,
): Promise<Counted> => {
  let kept = 0
  let dropped = 0
  const seen = new Set<string>()
  const commits = new Commits()
  for await (const frame of readWholeFrames(store, file)) {
    commits.add(frame)
    for (const line of frame.responses) {
      seen.add(line.responseId)
      if (isKeptIn(line)) kept += 1
      else dropped += 1
    }
  }
  const hasOthersMarkers = [...commits.all].some(({ landed, notLanded }) =>
    isOfOthers([...landed, ...notLanded], seen),
  )
  return { kept, dropped, hasOthersMarkers }
}
