// Ends the record and the segments of a run that could not do so itself because it was killed, stopped or failed. The
// end of a segment names the commit markers that have no commit (docs/decisions/0011-commit-markers.md).
import * as Effect from "effect/Effect"
import type { ArchiveStore } from "../../archive/ArchiveStore.ts"
import { runEndLine } from "../../archive/lines.ts"
import { ObjectStoreError } from "../../archive/ObjectStore.ts"
import { readFrames } from "../../archive/readFrames.ts"
import { appendLines } from "../../archive/rewrite.ts"
import { Commits, unendedSegments } from "../../archive/segments.ts"
import { decodeRow, optional, text } from "../../load/duckdb/decodeRow.ts"
import { LoadError } from "../../load/errors.ts"
import { literal } from "../../load/sql/sql.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import { operationTable } from "../../load/tables/index.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import type { Place } from "../publication/warehouse.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

/** The command in the record of a swap, which does not call `endDeadRuns`: nothing may keep it from being sent. */
export const SWAP = "swap"

// With those that have ended since the last run began that ended others, however they did: each may have left a segment without an
// end, or a hung worker. One that was recorded as killed while its machine slept may have appended to its segment since.
const unended = `with last as (
    select coalesce(max(started_at) filter (command <> ${literal(SWAP)}), min(started_at)) as began_at from ops.runs)
  select run_id, outcome from ops.runs, last
  where outcome is null or finished_at >= began_at
    or (outcome = 'killed' and finished_at >= began_at - interval 1 day)
    or started_at = began_at`
const unendedRun = decodeRow({ runId: text("run_id"), outcome: optional(text)("outcome") })
const indexOfRun = "select response_id from raw.responses where run_id = $1"

/**
 * Ends every run that may lack its end and is not in progress elsewhere. Nothing more is committed of one that is recorded as
 * ended, so a worker of it that hangs is no reason to wait. Call it before a new run is recorded.
 */
export const endDeadRuns = Effect.fnUntraced(function* (place: Place) {
  const warehouse = yield* Warehouse
  const found = yield* warehouse.rows(unended, [], ["ops.runs"])
  const dead = yield* Effect.filter(found.map(unendedRun), isDead)
  const killed = dead.filter(({ outcome }) => outcome === undefined).map(({ runId }) => runId)
  if (killed.length > 0) yield* endKilledRuns(killed)
  for (const run of dead) {
    // A worker may have joined it while this process waited for its turn.
    if (yield* isDead(run)) yield* endSegments(place, run.runId)
  }
})

/** Whether no process commits anything of the run. A planner may continue one that another took for killed, with its workers. */
const isDead = ({ runId, outcome = "killed" }: ReturnType<typeof unendedRun>) =>
  outcome === "killed"
    ? Effect.flatMap(Warehouse, ({ isRunning }) =>
        Effect.map(isRunning(runId), (running) => !running),
      )
    : Effect.succeed(true)

/** Ends the records of runs that were killed. */
const endKilledRuns = Effect.fnUntraced(function* (runIds: ReadonlyArray<string>) {
  const { execute } = yield* Warehouse
  const ofKilled = `run_id in (${runIds.map(literal).join(", ")})`
  yield* execute([`${sqlFile("state", "end_killed_runs")} and ${ofKilled}`], [operationTable.runs])
})

const inProgress = "select run_id from ops.runs where outcome is null"

/**
 * Like `endDeadRuns`, for work that must not overlap with a run: fails if one is in progress, and keeps new ones out.
 */
export const endAllRuns = Effect.fnUntraced(function* (what: string, place: Place) {
  yield* endDeadRuns(place)
  const warehouse = yield* Warehouse
  const [run] = yield* warehouse.rows(inProgress)
  if (run === undefined) return yield* warehouse.alone
  return yield* new LoadError({
    reason: "Files",
    what,
    why: `the run ${text("run_id")(run)} is in progress`,
    advice: "Nothing was changed. Wait for it to end, or stop it and its workers.",
  })
})

/** As `endAllRuns`, but whether that can be. */
export const hasNoOthers = Effect.fnUntraced(function* (place: Place) {
  yield* endDeadRuns(place)
  const warehouse = yield* Warehouse
  if ((yield* warehouse.rows(inProgress)).length > 0) return false
  return yield* warehouse.alone.pipe(
    Effect.as(true),
    Effect.catchTag("WarehouseLocked", () => Effect.succeed(false)),
  )
})

/** Ends the segments that processes of a run left without an end. None of the processes may still be writing. */
export const endSegments = Effect.fnUntraced(function* (place: Place, runId: string) {
  const store = archiveOf(place)
  const files = yield* inArchive(() => unendedSegments(store, runId))
  const { rows } = yield* Warehouse
  for (const file of files) {
    const ending = endingOf(file)
    const commits = yield* ending(() => commitsOf(store, file))
    if (commits.hasEnd(file, runId)) continue
    // After the markers: a commit that happens in between has its response in the index.
    const committed = new Set((yield* rows(indexOfRun, [runId])).map(text("response_id")))
    const uncommitted = [...commits.all]
      .map(({ landed, notLanded }) => [...landed, ...notLanded])
      .filter((ids) => !ids.some((id) => committed.has(id)))
    const end = runEndLine({ runId, uncommitted: uncommitted.flat() })
    yield* ending(() => appendLines(store, file, [end]))
  }
})

const endingOf =
  (file: string) =>
  <A>(work: () => Promise<A>) =>
    Effect.tryPromise({
      try: work,
      catch: (cause) =>
        new LoadError({
          reason: "Files",
          what: `Ending ${file} of the response archive, whose run was killed`,
          why: causeMessage(cause),
          advice:
            cause instanceof ObjectStoreError
              ? cause.advice
              : "Nothing was changed. Check the disk, its free space and the folder's permissions.",
          cause,
        }),
    })

const commitsOf = async (store: ArchiveStore, file: string): Promise<Commits> => {
  const commits = new Commits()
  for await (const frame of readFrames(store, file)) commits.add(frame)
  return commits
}
