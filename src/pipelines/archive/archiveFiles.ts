// The archive's segments and the index that points into them, kept in step: a new segment is complete before
// the index points at it, and old ones go last. A kill leaves at most a file nobody refers to.
import { existsSync, readdirSync, statSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Moved } from "../../extract/rewriteSegments.ts"
import { forgetting, moving } from "../../load/archiveIndex.ts"
import { responses } from "../../load/tables/responses.ts"
import { Warehouse } from "../../load/Warehouse.ts"
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

/**
 * Runs this warehouse has heard of: one that was killed is in ops.runs, one of an earlier warehouse in raw.responses
 * once it is indexed. Of any other nobody can say what its responses are needed for.
 */
export const knownRuns = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const rows = yield* warehouse.rows(
    "select run_id from ops.runs union select run_id from raw.responses",
  )
  return new Set(rows.map((row) => String(row["run_id"])))
})

/** The run a segment was written by, which lines of the first version do not name; of several runs, their month. */
export const runOfSegment = (file: string): string => file.split(".")[0] ?? file

/** Points the index at the new places of bodies that lay in `files`; all or nothing. */
export const moveIndex = (files: ReadonlyArray<string>, moved: ReadonlyArray<Moved>) =>
  changeIndex(moving(files, moved))

/** Forgets the responses judged to go with the same `before`; all or nothing. */
export const forgetResponses = (before: number) => changeIndex([forgetting(before)])

const changeIndex = (statements: ReadonlyArray<string>) =>
  statements.length === 0
    ? Effect.void
    : Effect.flatMap(Warehouse, (warehouse) => warehouse.execute(statements, [responses]))

export const removeSegments = (directory: string, files: ReadonlyArray<string>) =>
  Effect.forEach(
    files,
    (file) => Effect.tryPromise({ try: () => rm(join(directory, file)), catch: archiveError }),
    { discard: true },
  )
