// The archive's segments and the index that points into them, kept in step: a new segment is complete before
// the index points at it, and old ones go last. A kill leaves at most a file nobody refers to.
import { existsSync, readdirSync, statSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Moved } from "../extract/rewriteSegments.ts"
import { literal } from "../load/sql.ts"
import { responses } from "../load/tables/responses.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { archiveError } from "./archived.ts"

export const SEGMENT_SUFFIX = ".ndjson.zst"

/** In the order of their runs, or months. */
export const segmentFiles = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((file) => file.endsWith(SEGMENT_SUFFIX))
        .toSorted()
    : []

export const segmentBytes = (directory: string): number =>
  segmentFiles(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)

const PLACES_A_STATEMENT = 2000

/** Points the index at the new places of bodies that lay in `files`, and forgets `dropped`; all or nothing. */
export const moveIndex = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  moved: ReadonlyArray<Moved>,
  forget?: string,
) {
  const warehouse = yield* Warehouse
  const from = files.map(literal).join(", ")
  const statements: Array<string> = forget === undefined ? [] : [forget]
  for (let start = 0; start < moved.length; start += PLACES_A_STATEMENT) {
    const values = moved
      .slice(start, start + PLACES_A_STATEMENT)
      .map(
        ({ sha256, place }) =>
          `(${literal(sha256)}, ${literal(place.file)}, ${place.offset}, ${place.length})`,
      )
    statements.push(
      `update raw.responses r
       set archive_file = m.file, archive_offset = m.place, archive_length = m.length
       from (values ${values.join(", ")}) m (sha256, file, place, length)
       where r.body_sha256 = m.sha256 and r.archive_file in (${from})`,
    )
  }
  if (statements.length > 0) yield* warehouse.execute(statements, [responses])
})

export const removeSegments = (directory: string, files: ReadonlyArray<string>) =>
  Effect.forEach(
    files,
    (file) => Effect.tryPromise({ try: () => rm(join(directory, file)), catch: archiveError }),
    { discard: true },
  )
