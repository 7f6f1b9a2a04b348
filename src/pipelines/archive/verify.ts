// What `verify` checks: the published files against their manifest and each other, and the archive against its hashes,
// its commit markers and its index.
import { stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { ArchiveDamaged, intactBody } from "../../archive/lines.ts"
import { type Frame, readFrames } from "../../archive/readFrames.ts"
import { Commits, segmentHolding, segmentFiles } from "../../archive/segments.ts"
import { databaseError } from "../../load/errors.ts"
import { databaseFile, isPresent } from "../../load/storage/file/duckdbFile.ts"
import { boolean, decodeRow, number, optional, text } from "../../load/duckdb/decodeRow.ts"
import { openPublishedCopy } from "../../load/published/read/openPublishedCopy.ts"
import { writerOf } from "../../load/lock/waitForLock.ts"
import { readCurrent, unfinished } from "../../load/published/publishedFiles.ts"
import { publishedFile } from "../../load/published/read/PublishedCopy.ts"
import type { Finding } from "../../domain/run/finding.ts"
import { verify as verifyPublished } from "../../load/published/verify/verify.ts"
import { archiveFolder, archiveOf, inArchive } from "../publication/archiveOf.ts"
import { noWarehouse, type Place } from "../publication/warehouse.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { counted } from "../../domain/values/numbers.ts"

// What a run published meanwhile, or removed once that was published, differs from what was read before: then all is read
// again.
const TRIALS = 3
// A publication takes as long as its files do. Of one that hangs, or has failed within a run that goes on, this is the end.
const LONGEST_PUBLICATION = "10 minutes"

/** Whether the process that holds the lock is publishing: what is there then is neither the publication before nor the next. */
const isPublishing = Effect.fnUntraced(function* (dataDir: string) {
  const { holder } = yield* writerOf(dataDir)
  const begun = yield* Effect.promise(() =>
    stat(unfinished(dataDir)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    ),
  )
  // One that an earlier process left unfinished is older than the lock.
  return holder !== undefined && begun !== undefined && begun >= Date.parse(holder.since)
})

/** Whether it is still under way after the longest time. */
const untilPublished = Effect.fnUntraced(function* (dataDir: string) {
  yield* Effect.logWarning(`a publication is under way in ${dataDir}: verify waits for its end`)
  return yield* Effect.repeat(isPublishing(dataDir), {
    while: (publishing) => publishing,
    schedule: Schedule.upTo(Schedule.spaced("200 millis"), { duration: LONGEST_PUBLICATION }),
  })
})

export const verify = Effect.fnUntraced(function* (place: Place) {
  const { dataDir } = place
  const isHere = yield* Effect.try({
    try: () =>
      [databaseFile, publishedFile, archiveFolder].some((file) => isPresent(file(dataDir))),
    catch: (cause) => databaseError(`Looking for the warehouse in ${dataDir}`, cause),
  })
  const segments = inArchive(() => segmentFiles(archiveOf(place)))
  const hasAnything = isHere || (yield* segments).length > 0
  if (!hasAnything) return yield* noWarehouse("Verifying what is published", place)
  const state = Effect.gen(function* () {
    const publication = yield* Effect.promise(() => readCurrent(dataDir))
    // That they can't be listed is a finding.
    const files = yield* Effect.orElseSucceed(segments, () => [])
    return JSON.stringify([publication?.published_at, files])
  })
  let findings: ReadonlyArray<Finding> = []
  for (let trial = 1; trial <= TRIALS; trial += 1) {
    const before = yield* state
    findings = [...(yield* verifyPublished(dataDir)), ...(yield* verifyArchive(place))]
    if (findings.length === 0 || trial === TRIALS) break
    const isFinal = (yield* isPublishing(dataDir))
      ? yield* untilPublished(dataDir)
      : before === (yield* state)
    if (isFinal) break
  }
  return findings
})

interface Survey {
  /** SHA-256 hashes of the intact bodies. */
  readonly bodies: Set<string>
  /** Places of all frames, and of damaged ones. */
  readonly frames: Set<string>
  readonly damaged: Set<string>
  readonly commits: Commits
  /** The ids of the responses with a line. */
  readonly responseIds: Set<string>
  readonly findings: Array<Finding>
}

/**
 * Reads every segment, also past damaged frames, then looks for the bodies and markers that the published index names.
 */
const verifyArchive = Effect.fnUntraced(function* (place: Place) {
  const store = archiveOf(place)
  const index = yield* publishedIndex(place.dataDir)
  const placed = Map.groupBy(index, ({ file }) => file)
  const survey: Survey = {
    bodies: new Set(),
    frames: new Set(),
    damaged: new Set(),
    commits: new Commits(),
    responseIds: new Set(),
    findings: [],
  }
  const segments = yield* inArchive(() =>
    segmentFiles(store).catch((cause: unknown) => {
      if (!(cause instanceof ArchiveDamaged)) throw cause
      survey.findings.push({
        kind: "unreadable",
        path: store.pathOf(cause.file),
        detail: cause.message,
      })
      return undefined
    }),
  )
  if (segments === undefined) return survey.findings
  for (const file of segments) {
    const known = new Set(placed.get(file)?.map(({ offset }) => offset))
    yield* Effect.promise(() => addSegment(survey, store, file, known))
  }
  const found = [
    ...survey.findings,
    ...missingBodies(index, new Set(segments), survey, store),
    ...movedBodies(index, survey, store),
  ]
  const reported = new Set(found.map(({ path }) => path))
  // A damaged segment is one finding, whatever else it lost.
  const uncommitted = missingCommits(index, segments, survey, store)
  return [...found, ...uncommitted.filter(({ path }) => !reported.has(path))]
})

const addSegment = async (
  { bodies, frames, damaged, commits, responseIds, findings }: Survey,
  store: ArchiveStore,
  file: string,
  known: ReadonlySet<number>,
): Promise<void> => {
  const report = (detail: string): void => {
    findings.push({ kind: "unreadable", path: store.pathOf(file), detail })
  }
  try {
    for await (const frame of readFrames(store, file, known)) {
      commits.add(frame)
      for (const { responseId } of frame.responses) responseIds.add(responseId)
      frames.add(placeKey(frame.place))
      const damage = damageOf(frame, bodies)
      if (damage === undefined) continue
      damaged.add(placeKey(frame.place))
      report(damage)
    }
  } catch (cause) {
    report(causeMessage(cause))
  }
}

/** What is wrong with a frame, if anything; adds its intact bodies to `bodies`. */
const damageOf = (frame: Frame, bodies: Set<string>): string | undefined => {
  const { file, offset } = frame.place
  if (frame.unreadable !== undefined) return frame.unreadable
  const damages = [...frame.damages]
  for (const line of frame.responses) {
    try {
      if (intactBody(file, line) !== undefined) bodies.add(line.sha256)
    } catch (cause) {
      damages.push(cause instanceof ArchiveDamaged ? cause.detail : causeMessage(cause))
    }
  }
  const [first] = damages
  const more = damages.length > 1 ? ` and ${damages.length - 1} more in this frame` : ""
  return first === undefined ? undefined : `the frame at byte ${offset}: ${first}${more}`
}

interface IndexedBody {
  readonly responseId: string
  readonly runId: string
  readonly pipeline: string | undefined
  readonly isLanded: boolean
  readonly sha256: string
  readonly file: string
  readonly offset: number
}

const placeKey = ({ file, offset }: { readonly file: string; readonly offset: number }): string =>
  `${file} ${offset}`

/** One finding for a segment that is gone, else one for each frame; not for those known to be damaged. */
const missingBodies = (
  index: ReadonlyArray<IndexedBody>,
  segments: ReadonlySet<string>,
  { bodies, damaged }: Survey,
  { pathOf }: ArchiveStore,
): ReadonlyArray<Finding> => {
  const lost = index.filter(({ sha256 }) => !bodies.has(sha256))
  const byPlace = Map.groupBy(lost, (body) =>
    segments.has(body.file) ? placeKey(body) : body.file,
  )
  return [...byPlace].flatMap(([place, [first, ...others]]) => {
    if (first === undefined || damaged.has(place)) return []
    const { file, offset, responseId } = first
    const more = others.length === 0 ? "" : ` and of ${others.length} more`
    const detail = segments.has(file)
      ? `the body of response ${responseId}${more} is not in the archive; its frame was at byte ${offset}`
      : `the segment is gone, and with it the body of response ${responseId}${more}`
    return [{ kind: "missing" as const, path: pathOf(file), detail }]
  })
}

/** Bodies that are there, but not where the index says, so that `trace` can't read them: one finding per segment. */
const movedBodies = (
  index: ReadonlyArray<IndexedBody>,
  { bodies, frames }: Survey,
  { pathOf }: ArchiveStore,
): ReadonlyArray<Finding> => {
  const moved = index.filter((body) => bodies.has(body.sha256) && !frames.has(placeKey(body)))
  return [...Map.groupBy(moved, ({ file }) => file)].map(([file, { length }]) => ({
    kind: "missing" as const,
    path: pathOf(file),
    detail: `${counted(length, "body", "bodies")} that the published index has there ${length === 1 ? "is" : "are"} elsewhere in the archive; \`vaulthouse compact\`, then \`vaulthouse publish\`, records where`,
  }))
}

interface Lacking {
  readonly runId: string
  readonly lacks: "marker" | "line" | "landed"
}

/** Responses that were committed by the index but not by the archive: one finding per run and reason. */
const missingCommits = (
  index: ReadonlyArray<IndexedBody>,
  segments: ReadonlyArray<string>,
  { commits, responseIds }: Survey,
  { pathOf }: ArchiveStore,
): ReadonlyArray<Finding> => {
  // With the segments that only the index names: a run's id does not determine the name of its segment.
  const files = [...new Set([...segments, ...index.map(({ file }) => file)])].toSorted()
  const lacking = index.flatMap((body): ReadonlyArray<Lacking> => {
    const { responseId, runId, pipeline, isLanded } = body
    if (pipeline === undefined) return []
    const marker = commits.markerOf(responseId)
    if (marker === undefined) return [{ runId, lacks: "marker" }]
    if (!responseIds.has(responseId)) return [{ runId, lacks: "line" }]
    return isLanded && !marker.landed.includes(responseId) ? [{ runId, lacks: "landed" }] : []
  })
  const groups = Map.groupBy(lacking, ({ runId, lacks }) => `${runId} ${lacks}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { runId, lacks } = first
    const isOne = others.length === 0
    const ofRun = `${counted(others.length + 1, "committed response")} of run ${runId}`
    const what = {
      marker: `${ofRun} ${isOne ? "has" : "have"} no commit marker`,
      line: `${ofRun} ${isOne ? "is" : "are"} not in the archive`,
      landed: `${ofRun} did not land by the last commit marker`,
    }[lacks]
    const mend =
      lacks === "landed"
        ? `; \`vaulthouse compact\` records that ${isOne ? "it" : "they"} landed`
        : ""
    return [
      {
        kind: "missing" as const,
        path: pathOf(segmentHolding(files, runId)),
        detail: `${what}; a replay without the database would leave ${isOne ? "it" : "them"} out${mend}`,
      },
    ]
  })
}

const publishedBody = decodeRow({
  responseId: text("response_id"),
  runId: text("run_id"),
  pipeline: optional(text)("pipeline"),
  isLanded: boolean("is_landed"),
  sha256: text("body_sha256"),
  file: text("archive_file"),
  offset: number("archive_offset"),
})

/** The archive's index in the published copy; empty without a copy, which is a finding of its own. */
const publishedIndex = Effect.fnUntraced(
  function* (dataDir: string) {
    const copy = yield* openPublishedCopy(dataDir)
    const rows = yield* copy.rows(
      `select response_id, run_id, pipeline, is_landed, body_sha256, archive_file,
         archive_offset::double as archive_offset
       from raw.responses order by archive_file, archive_offset`,
    )
    return rows.map(publishedBody)
  },
  Effect.scoped,
  Effect.catchTag("ReadError", () => Effect.succeed([])),
)
