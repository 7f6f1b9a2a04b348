// Ends the record and the segments of a run that could not do so itself: killed, stopped, or failed. Of its commit
// markers, those without a commit are named (docs/decisions/0011-commit-markers.md).
import * as Effect from "effect/Effect"
import { runEndLine } from "../../archive/lines.ts"
import { appendLines } from "../../archive/rewrite.ts"
import { archiveDirectory, Commits, readFrames, segmentsOfRun } from "../../archive/segments.ts"
import { text } from "../../load/decodeRow.ts"
import { LoadError } from "../../load/errors.ts"
import { sqlFile } from "../../load/sqlFile.ts"
import { runs } from "../../load/tables/runs.ts"
import { Warehouse } from "../../load/Warehouse.ts"

// In a file every run ends the one before it, so that only the newest can be open.
const lastRun = "select run_id, outcome from ops.runs order by run_id desc limit 1"
const indexOfRun = "select response_id from raw.responses where run_id = $1"

const endedWell = new Set<unknown>(["complete", "partial", "deferred"])

/** Does nothing where the last run ended well. Comes before the record of a new run. */
export const endLastRun = Effect.fnUntraced(function* (dataDir: string) {
  const warehouse = yield* Warehouse
  const [last] = yield* warehouse.rows(lastRun)
  if (last === undefined || endedWell.has(last["outcome"])) return
  if (last["outcome"] === null) {
    yield* warehouse.execute([sqlFile("state", "end_killed_runs")], [runs])
  }
  yield* endSegments(dataDir, text("run_id")(last))
})

/** Ends what the processes of a run wrote and, killed or stopped, did not end; none of them may be writing any more. */
export const endSegments = Effect.fnUntraced(function* (dataDir: string, runId: string) {
  const directory = archiveDirectory(dataDir)
  const files = segmentsOfRun(directory, runId)
  if (files.length === 0) return
  const warehouse = yield* Warehouse
  const committed = new Set((yield* warehouse.rows(indexOfRun, [runId])).map(text("response_id")))
  for (const file of files) {
    yield* Effect.tryPromise({
      try: () => endSegment(directory, file, runId, committed),
      catch: (cause) =>
        new LoadError({
          reason: "Files",
          what: `Ending ${file} of the response archive, whose run was killed`,
          why: cause instanceof Error ? cause.message : String(cause),
          advice: "Nothing was changed. Check the disk's free space and the folder's permissions.",
          cause,
        }),
    })
  }
})

const endSegment = async (
  directory: string,
  file: string,
  runId: string,
  committed: ReadonlySet<string>,
): Promise<void> => {
  const commits = new Commits()
  for await (const frame of readFrames(directory, file)) commits.add(frame)
  if (commits.hasEnd(file, runId)) return
  const uncommitted = [...commits.all]
    .map(({ landed, notLanded }) => [...landed, ...notLanded])
    .filter((ids) => !ids.some((id) => committed.has(id)))
  await appendLines(directory, file, [runEndLine({ runId, uncommitted: uncommitted.flat() })])
}
