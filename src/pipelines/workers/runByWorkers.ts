// A whole run whose tasks are read by workers: does what `run` does in one process, but sends no requests itself. A
// run whose planner died is continued by the next planner.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { commandId } from "../../domain/run/commandId.ts"
import { newRunId } from "../../domain/run/runId.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import {
  endRun,
  openRun,
  type OpenRun,
  runIsRead,
  takeOverRun,
  unfinishedRun,
} from "./sharedRun.ts"
import type { WorkDatabase, WorkRows } from "../../load/work/WorkDatabase.ts"
import type { RunContext } from "../model/Pipeline.ts"
import type { Place } from "../publication/warehouse.ts"
import { endSegments } from "../run/endDeadRuns.ts"
import { openedForRun, type RunOptions, waitingText, wholeRun } from "../run/run.ts"
import type { SyncOptions } from "../run/selection.ts"
import { contextOf } from "../run/sync.ts"
import { agreementOf, differencesOf } from "./agreement.ts"
import { connected, type Connection, type ConnectionOptions, isAlive } from "./connected.ts"
import { offerTasks } from "./offerTasks.ts"
import { plannerLock, thisPlanner } from "./plannerLock.ts"
import { isSameRequest, requestOf, type RunRequest } from "./request.ts"

export interface SharedRunOptions extends RunOptions, Omit<ConnectionOptions, "onConnection"> {}

export const runByWorkers = Effect.fnUntraced(function* (options: SharedRunOptions) {
  const onConnection = (text: string): void => options.onProgress({ kind: "waiting", text })
  return yield* connected({ ...options, onConnection }, (connection) =>
    planRuns(options, connection),
  )
})

// The server may take this long to notice the loss of this planner's earlier connection, which holds the lock.
const LOCK_WAIT = "1 minute"

const planRuns = (options: SharedRunOptions, { session, isReconnected }: Connection) =>
  Effect.gen(function* () {
    const { wait = isReconnected ? LOCK_WAIT : undefined, onProgress } = options
    yield* plannerLock(session, {
      ...(wait === undefined ? {} : { wait }),
      onWait: (locked) => onProgress({ kind: "waiting", text: waitingText(locked) }),
    })
    const open = yield* unfinishedRun()
    if (open !== undefined) {
      const reason = yield* outdated(options, open)
      if (reason !== undefined) {
        onProgress({ kind: "note", text: `abandons ${describe(open)}: ${reason}` })
        yield* endRun(open.runId, open.planner)
      } else {
        onProgress({ kind: "note", text: `continues ${describe(open)}` })
        const summary = yield* continuedRun(options, session, open)
        const wanted = requestOf(
          syncOptionsOf(options, open.runId),
          yield* contextOf(options.settings),
        )
        if (isSameRequest(open.request as RunRequest, wanted)) return summary
      }
    }
    return yield* newRun(options, session)
  })

const recordedByOthers = `
  select 1 from ops.tasks where run_id <> $1 and epoch_ms(finished_at) >= $2 limit 1`

/** Why the run must not be finished as it was planned; `undefined` if it can be. */
const outdated = Effect.fnUntraced(function* (
  options: SharedRunOptions,
  { runId, settings, openedAt }: OpenRun,
) {
  const agreed = agreementOf(runId, options)
  if (differencesOf(settings, agreed).length > 0) return "the settings have changed since"
  // A task that nobody has claimed would begin at its planned cursor, and set back the one that another run has moved.
  const found = yield* Effect.flatMap(Warehouse, ({ rows }) =>
    rows(recordedByOthers, [runId, openedAt.getTime()], ["ops.tasks"]),
  ).pipe(
    Effect.provide(openedForRun(options, runId)),
    // The continued run then fails for the same reason, and records it.
    Effect.catchTag("LoadError", () => Effect.succeed([])),
  )
  return found.length === 0 ? undefined : "another run has recorded tasks since"
})

const describe = ({ runId, planner, command }: OpenRun): string =>
  `run ${runId} (${command})${planner === thisPlanner() ? "" : `, whose planner ${planner} is gone`}`

const syncOptionsOf = (options: SharedRunOptions, runId: string): SyncOptions => ({
  ...options,
  runId,
  hasKey: options.api.apiKey !== undefined,
  paths: options.api.wire.paths,
})

const newRun = Effect.fnUntraced(function* (options: SharedRunOptions, session: WorkRows) {
  const runId = yield* newRunId
  const read = Effect.fnUntraced(function* (syncOptions: SyncOptions) {
    const context = yield* contextOf(options.settings)
    yield* openRun({
      runId,
      command: options.command,
      settings: agreementOf(runId, options),
      request: requestOf(syncOptions, context),
      planner: thisPlanner(),
    })
    return yield* readByWorkers({ ...options, ...syncOptions }, context, session)
  })
  return yield* planned(options, runId, session, read)
})

const continuedRun = Effect.fnUntraced(function* (
  options: SharedRunOptions,
  session: WorkRows,
  run: OpenRun,
) {
  const { context, ...request } = run.request as RunRequest
  yield* takeOverRun(run.runId, thisPlanner())
  // The planner before it may have published by the run's id, and those who have that copy open look for another name.
  const publicationId = yield* commandId("publish")
  const publish = options.publish && { ...options.publish, publicationId }
  return yield* planned(
    { ...options, ...request, command: run.command, publish },
    run.runId,
    session,
    (syncOptions) => readByWorkers({ ...options, ...syncOptions, ...request }, context, session),
    true,
  )
})

const planned = Effect.fnUntraced(function* (
  options: SharedRunOptions,
  runId: string,
  session: WorkRows,
  read: (syncOptions: SyncOptions) => ReturnType<typeof readByWorkers>,
  isContinued = false,
) {
  const ended = isAlive(session).pipe(
    // Without its connection this planner no longer has the lock: it takes it again, or another planner continues the run.
    Effect.flatMap((alive) => (alive ? endRun(runId, thisPlanner()) : Effect.succeed(false))),
    Effect.catch(() => Effect.succeed(false)),
    Effect.provide(yield* Effect.context<WorkDatabase>()),
  )
  return yield* wholeRun({ options, runId, read, isContinued, mayEnd: ended }, Layer.empty).pipe(
    Effect.ensuring(ended),
  )
})

const LEAVE_MILLIS = 5000

const readByWorkers = Effect.fnUntraced(function* (
  options: SyncOptions & Place,
  context: RunContext,
  session: WorkRows,
) {
  const { runId } = options
  const summary = yield* offerTasks(options, context, session)
  yield* runIsRead(runId)
  const warehouse = yield* Warehouse
  const isRunning = yield* Effect.repeat(warehouse.isRunning(runId), {
    while: (running) => running,
    schedule: Schedule.upTo(Schedule.spaced("100 millis"), { duration: LEAVE_MILLIS }),
  })
  // Ends the segments of workers that died; a worker that hangs may still write its own.
  if (!isRunning) yield* endSegments(options, runId)
  return summary
})
