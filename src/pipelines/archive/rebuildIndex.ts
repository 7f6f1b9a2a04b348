// Rebuilds the archive's index (raw.responses) and ops.quarantine from the archive itself, for runs that the warehouse
// does not know because an earlier one was lost.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import type { CommitMarker, ResponseHead, ResponseLine } from "../../archive/lines.ts"
import type { Place } from "../../archive/frames.ts"
import { readWholeFrames } from "../../archive/readFrames.ts"
import { ArchiveReader, Commits, runOfSegment, segmentFiles } from "../../archive/segments.ts"
import type { ArchivedResponse } from "../../domain/wire/response.ts"
import { rowsOf } from "../../domain/table/rowsOf.ts"
import { operationTable } from "../../load/tables/index.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { FieldNames } from "../../transform/Source.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import type { Place as WarehousePlace } from "../publication/warehouse.ts"
import { indexRow, quarantineRow } from "../run/task/bookkeeping.ts"
import { withFixedWindows } from "../pipelines.ts"
import { rowsOfArchived } from "./archivedRows.ts"
import { type IndexedResponse, knownRuns } from "../../load/state/archiveIndex.ts"

/** A run with a segment that has no end: it was killed and the warehouse not opened since, or the file was cut off. */
export interface UnendedRun {
  readonly runId: string
  readonly file: string
  /** Responses of tasks without a commit marker: no rows are made of them. */
  readonly unmarked: number
}

interface Body {
  readonly place: Place
  readonly bytes: number
}

interface Found {
  readonly head: ResponseHead
  readonly file: string
  /** Set if its own line holds the body. */
  readonly body: Body | undefined
}

interface Archived {
  readonly found: Map<string, Found>
  /** By SHA-256. */
  readonly bodies: Map<string, Body>
  readonly commits: Commits
}

/**
 * Does nothing if every run of the archive is known. Otherwise reads every segment and indexes all that unknown runs
 * left in one commit; if a segment can't be read, it indexes nothing, because a part would later pass for the whole.
 */
export const rebuildIndex = Effect.fnUntraced(function* (place: WarehousePlace, names: FieldNames) {
  const warehouse = yield* Warehouse
  const store = archiveOf(place)
  const files = yield* inArchive(() => segmentFiles(store))
  const runs = yield* knownRuns
  if (files.every((file) => runs.has(runOfSegment(file)))) return []
  const archived: Archived = { found: new Map(), bodies: new Map(), commits: new Commits() }
  for (const file of files) {
    yield* inArchive(() => addSegment(archived, store, file, runs))
  }
  const indexed = [...archived.found.values()]
    .toSorted((a, b) => a.head.receivedAt - b.head.receivedAt)
    .flatMap((found) => indexedOf(found, archived))
  if (indexed.length > 0) {
    const broken = yield* quarantined(new ArchiveReader(store), indexed, names)
    yield* warehouse.commit({
      rows: [],
      bookkeeping: [
        rowsOf(
          operationTable.responses,
          indexed.map((one) => indexRow(archivedOf(one), one.head.runId, one.marker, one.isLanded)),
        ),
        broken,
      ],
    })
  }
  return unendedRuns(archived)
})

const addSegment = async (
  { found, bodies, commits }: Archived,
  store: ArchiveStore,
  file: string,
  known: ReadonlySet<string>,
): Promise<void> => {
  for await (const frame of readWholeFrames(store, file)) {
    commits.add(frame)
    for (const line of frame.responses) {
      const body =
        line.body === undefined ? undefined : { place: frame.place, bytes: line.body.length }
      if (body !== undefined) bodies.set(line.sha256, body)
      // A process that stops while it rewrites segments leaves a response in two of them.
      if (!known.has(line.runId)) found.set(line.responseId, { head: headOf(line), file, body })
    }
  }
}

const headOf = ({
  body: _body,
  bytes: _bytes,
  headLength: _headLength,
  ...head
}: ResponseLine): ResponseHead => head

interface Indexed {
  readonly head: ResponseHead
  readonly body: Body
  /** Absent for requests outside tasks. */
  readonly marker: CommitMarker | undefined
  readonly isLanded: boolean
}

/**
 * The row of the index; none for a response received just before its run was killed, or whose body was pruned. Pruning keeps all
 * that landed together, or none of it: a single one is there for its body, which others need, and would pass for a whole set.
 */
const indexedOf = (
  { head, body: own }: Found,
  { found, bodies, commits }: Archived,
): ReadonlyArray<Indexed> => {
  const body = own ?? bodies.get(head.sha256)
  const marker = commits.markerOf(head.responseId)
  if (body === undefined || (marker === undefined && head.pipeline !== null)) return []
  const isLanded =
    marker?.landed.includes(head.responseId) === true && marker.landed.every((id) => found.has(id))
  return [{ head, body, marker, isLanded }]
}

const unendedRuns = ({ found, commits }: Archived): ReadonlyArray<UnendedRun> => {
  const unended = [...found.values()].filter(({ file, head }) => !commits.hasEnd(file, head.runId))
  const segments = Map.groupBy(unended, ({ file, head }) => JSON.stringify([file, head.runId]))
  return [...segments.values()].flatMap((ofSegment) => {
    const [first] = ofSegment
    if (first === undefined) return []
    const unmarked = ofSegment.filter(
      ({ head }) => head.pipeline !== null && commits.markerOf(head.responseId) === undefined,
    )
    return [{ runId: first.head.runId, file: first.file, unmarked: unmarked.length }]
  })
}

/** Outcomes that leave a quarantined response of the same partition open. */
const leavesOpen: ReadonlySet<CommitMarker["outcome"]> = new Set([
  "quarantined",
  "failed",
  "deferred",
  "skipped",
  "suspicious_empty",
])

/**
 * The newest quarantined response of each window; its entry is closed if a later run read the same. Where windows move on, a later
 * one need not have what this one lacks: the next run, which reads everything, closes those that are resolved.
 */
const quarantined = Effect.fnUntraced(function* (
  reader: ArchiveReader,
  indexed: ReadonlyArray<Indexed>,
  names: FieldNames,
) {
  const newest = new Map<string, ReadonlyArray<ReturnType<typeof quarantineRow>>>()
  for (const one of indexed) {
    const { marker, head, isLanded } = one
    // Of the responses that made no rows, the task failed on the last.
    const isCandidate = isLanded || marker?.notLanded.at(-1) === head.responseId
    if (marker?.outcome !== "quarantined" || !isCandidate) continue
    const mapped = yield* rowsOfArchived(reader, indexedResponseOf(one), names)
    const violations = Result.isFailure(mapped) ? [mapped.failure] : mapped.success.rejected
    if (isLanded && violations.length === 0) continue
    const { pipeline, entity, window, runId } = marker
    const later = indexed.find(
      (other) =>
        withFixedWindows.includes(pipeline) &&
        other.marker?.pipeline === pipeline &&
        other.marker.entity === entity &&
        other.marker.window === window &&
        other.head.runId !== runId &&
        other.head.receivedAt > head.receivedAt &&
        !leavesOpen.has(other.marker.outcome),
    )
    newest.set(
      JSON.stringify([pipeline, entity, window]),
      (violations.length === 0 ? [nowReadable] : violations).map((violation) =>
        quarantineRow(
          { ...marker, endpoint: head.endpoint },
          { ...violation, responseId: head.responseId },
          head.receivedAt,
          later?.head.receivedAt,
        ),
      ),
    )
  }
  return rowsOf(operationTable.quarantine, [...newest.values()].flat())
})

const nowReadable = { path: "$", detail: "can be read by this version" }

const archivedOf = ({ head, body }: Indexed): ArchivedResponse => ({
  ...head,
  ...body.place,
  bytes: body.bytes,
})

const indexedResponseOf = (one: Indexed): IndexedResponse => ({
  ...one.head,
  pipeline: String(one.head.pipeline),
  entity: String(one.head.entity),
  window: one.marker?.window ?? "",
  isSuspicious: one.isLanded && one.marker?.outcome === "suspicious_empty",
  ...one.body.place,
})
