// Makes the archive's index (raw.responses) again from the archive itself, for a warehouse that was lost.
import { existsSync, readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseJson } from "../domain/json.ts"
import type { Value } from "../domain/table.ts"
import { decode } from "../extract/answer.ts"
import { type ArchivedLine, readSegment } from "../extract/archiveSegments.ts"
import type { Place } from "../extract/ResponseArchive.ts"
import { responses } from "../load/tables/responses.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { mapObjects } from "../transform/mapObjects.ts"
import { archiveDirectory, archiveError, pipelineOf } from "./archived.ts"

interface Body {
  readonly place: Place
  readonly bytes: number
  readonly isLandable: boolean
}

const SUFFIX = ".ndjson.zst"

/**
 * Does nothing where there is an index. Otherwise every segment is read: what answered with success and is
 * as documented counts as landed, in the window `all`, since only the index knew more. Of two answers of a run
 * that gave the same values, rows may then name the other one.
 */
export const indexArchive = Effect.fnUntraced(function* (dataDir: string) {
  const warehouse = yield* Warehouse
  const known = yield* warehouse.rows("select 1 from raw.responses limit 1")
  const directory = archiveDirectory(dataDir)
  if (known.length > 0 || !existsSync(directory)) return
  const files = readdirSync(directory).filter((file) => file.endsWith(SUFFIX))
  // By their names, which begin with the run's start: a body is where it came first.
  const bodies = new Map<string, Body>()
  for (const file of files.toSorted()) {
    const records = yield* Effect.tryPromise({
      try: () => recordsOf(directory, file, bodies),
      catch: archiveError,
    })
    yield* warehouse.commit({ rows: [], bookkeeping: [mapObjects(responses, records)] })
  }
})

const recordsOf = async (
  directory: string,
  file: string,
  bodies: Map<string, Body>,
): Promise<ReadonlyArray<Record<string, Value>>> => {
  const records: Array<Record<string, Value>> = []
  for await (const { place, lines } of readSegment(directory, file)) {
    for (const line of lines) {
      if (line.body !== undefined) {
        const bytes = Buffer.byteLength(line.body)
        bodies.set(line.sha256, { place, bytes, isLandable: isLandable(line, line.body) })
      }
      const found = bodies.get(line.sha256)
      if (found === undefined) continue
      records.push({
        response_id: line.responseId,
        run_id: line.runId,
        pipeline: line.pipeline,
        entity: line.entity,
        window: "all",
        is_landed: found.isLandable,
        endpoint: line.endpoint,
        method: line.method,
        url: line.url,
        request_body: line.requestBody,
        inputs: line.inputs,
        subject: line.subject,
        status: line.status,
        received_at: line.receivedAt,
        bytes: found.bytes,
        body_sha256: line.sha256,
        archive_file: found.place.file,
        archive_offset: found.place.offset,
        archive_length: found.place.length,
      })
    }
  }
  return records
}

const isLandable = ({ pipeline, status }: ArchivedLine, body: string): boolean => {
  const endpoint = pipelineOf(pipeline ?? "")?.endpoint
  if (endpoint === undefined || status < 200 || status >= 300) return false
  return Result.isSuccess(decode(endpoint, parseJson(body)))
}
