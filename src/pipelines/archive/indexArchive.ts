// Makes the archive's index (raw.responses) again from the archive itself, for a warehouse that was lost: of runs
// this one has not heard of.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Closing } from "../../domain/closing.ts"
import type { ArchiveReader } from "../../extract/archiveSegments.ts"
import type { ArchivedLine } from "../../extract/archiveLines.ts"
import { readSegment } from "../../extract/archiveSegments.ts"
import type { Place } from "../../extract/ResponseArchive.ts"
import { responses } from "../../load/tables/responses.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { mapObjects } from "../../transform/mapObjects.ts"
import {
  archiveDirectory,
  archiveError,
  archiveReader,
  type IndexedResponse,
  pipelineOf,
  rowsOfArchived,
} from "./archived.ts"
import { knownRuns, runOfSegment, segmentFiles } from "./archiveFiles.ts"
import { ownRows } from "../run/suspicion.ts"

interface Body {
  readonly place: Place
  readonly bytes: number
}

/** A response, and what became of it where a closing says so. */
interface Found {
  readonly line: Omit<ArchivedLine, "body" | "text" | "textWithoutBody">
  closing: Closing | undefined
}

/** The window of responses no closing names; whole readings have another. */
export const unknownWindow = "all"

export interface IndexOptions {
  readonly dataDir: string
  readonly timeFields: ReadonlyArray<string>
}

/**
 * Does nothing where every run of the archive is known. Otherwise every segment is read, and what runs left that the
 * warehouse has not heard of is indexed at once or, where a segment can't be read, not at all: a part would pass for
 * the whole ever after. Closings say what was landed, together with what, and so whether it was all there is. A
 * response of a task without one was never landed, and the index never knew of it. Lines of the first format have
 * none: of those counts as landed what makes rows, in the window `all`, so that no part of a reading is taken for all
 * of it.
 */
export const indexArchive = Effect.fnUntraced(function* (options: IndexOptions) {
  const warehouse = yield* Warehouse
  const directory = archiveDirectory(options.dataDir)
  const files = segmentFiles(directory)
  const runs = yield* knownRuns
  if (files.every((file) => runs.has(runOfSegment(file)))) return
  const reader = archiveReader(options.dataDir)
  const bodies = new Map<string, Body>()
  // A stop amid a rewriting leaves a response in two segments.
  const records = new Map<string, ReturnType<typeof recordOf>>()
  const index = Effect.fnUntraced(function* (found: ReadonlyArray<Found>) {
    for (const each of found) {
      const { responseId } = each.line
      const body = bodies.get(each.line.sha256)
      if (body === undefined || isUnheardOf(each) || records.has(responseId)) continue
      const isLanded = yield* wasLanded(each, body, reader, options.timeFields)
      records.set(responseId, recordOf(each, body, isLanded))
    }
  })
  const early: Array<Found> = []
  for (const file of files) {
    const found = yield* Effect.tryPromise({
      try: () => readFound(directory, file, bodies),
      catch: archiveError,
    })
    const isNews = ({ line }: Found): boolean =>
      !runs.has(line.runId) && !runs.has(runOfSegment(file))
    const isRead = ({ line }: Found): boolean => bodies.has(line.sha256)
    const news = found.filter(isNews)
    yield* index(news.filter(isRead))
    early.push(...news.filter((each) => !isRead(each)))
  }
  // Names begin with the second a run started: of two runs of one second the later may have been read first.
  yield* index(early)
  if (records.size === 0) return
  yield* warehouse.commit({
    rows: [],
    bookkeeping: [mapObjects(responses, [...records.values()])],
  })
})

const readFound = async (
  directory: string,
  file: string,
  bodies: Map<string, Body>,
): Promise<ReadonlyArray<Found>> => {
  const found = new Map<string, Found>()
  for await (const { place, lines, closings } of readSegment(directory, file)) {
    for (const { body, text: _, textWithoutBody: __, ...line } of lines) {
      if (body !== undefined) bodies.set(line.sha256, { place, bytes: Buffer.byteLength(body) })
      found.set(line.responseId, { line, closing: undefined })
    }
    for (const closing of closings) {
      for (const responseId of [...closing.landed, ...closing.notLanded]) {
        const response = found.get(responseId)
        if (response !== undefined) response.closing = closing
      }
    }
  }
  return [...found.values()]
}

/** Came just before its run was killed. */
const isUnheardOf = ({ line, closing }: Found): boolean =>
  closing === undefined && line.format > 1 && line.pipeline !== null

const wasLanded = (
  { line, closing }: Found,
  body: Body,
  reader: ArchiveReader,
  timeFields: ReadonlyArray<string>,
) => {
  if (closing?.landed.includes(line.responseId) === true) return Effect.succeed(true)
  // What was set aside counts as landed once this version can read it: its entry in ops.quarantine is lost.
  const isToBeRead = closing === undefined || closing.outcome === "quarantined"
  const isAnswer = line.status >= 200 && line.status < 300
  if (!isToBeRead || !isAnswer || pipelineOf(line.pipeline ?? "") === undefined)
    return Effect.succeed(false)
  return Effect.map(
    rowsOfArchived(reader, indexedOf(line, body, closing), timeFields),
    // A first empty answer ends nothing, whatever it says beside.
    (mapped) =>
      Result.isSuccess(mapped) &&
      (closing === undefined ? mapped.success.rows : ownRows(mapped.success.rows)).some(
        ({ length }) => length > 0,
      ),
  )
}

/** Landed all but its sets. */
const isDoubted = (closing: Closing | undefined): boolean => closing?.outcome === "suspicious_empty"

const windowOf = (closing: Closing | undefined): string => closing?.window ?? unknownWindow

const indexedOf = (
  line: Found["line"],
  body: Body,
  closing: Closing | undefined,
): IndexedResponse => ({
  ...line,
  pipeline: String(line.pipeline),
  entity: String(line.entity),
  window: windowOf(closing),
  isDoubted: isDoubted(closing),
  ...body.place,
})

const recordOf = ({ line, closing }: Found, body: Body, isLanded: boolean) => ({
  response_id: line.responseId,
  run_id: line.runId,
  pipeline: line.pipeline,
  entity: line.entity,
  window: windowOf(closing),
  is_landed: isLanded,
  is_doubted: isLanded ? isDoubted(closing) : null,
  endpoint: line.endpoint,
  method: line.method,
  url: line.url,
  request_body: line.requestBody,
  inputs: line.inputs,
  subject: line.subject,
  status: line.status,
  received_at: line.receivedAt,
  bytes: body.bytes,
  body_sha256: line.sha256,
  archive_file: body.place.file,
  archive_offset: body.place.offset,
  archive_length: body.place.length,
})
