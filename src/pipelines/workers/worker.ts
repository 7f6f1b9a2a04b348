// A worker: reads tasks of the planned run, together with other workers, until it is stopped. A task that it claims is
// its own until it is silent for longer than the lease; it can't commit a task that another worker has claimed since.
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { ResponseArchive } from "../../archive/ResponseArchive.ts"
import type { ConfigError } from "../../config/ConfigError.ts"
import { objectStoreAccess } from "../../config/environment/objectStoreAccess.ts"
import { LoadError } from "../../load/errors.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import type { TaskName } from "../../domain/run/claim.ts"
import { finishClaim } from "./claims.ts"
import { taskQueue } from "../../load/work/queue.ts"
import { type OpenRun, unfinishedRun } from "./sharedRun.ts"
import type { WorkRows } from "../../load/work/WorkDatabase.ts"
import { coreTables, pipelines } from "../pipelines.ts"
import { TASKS_AT_ONCE } from "../model/Pipeline.ts"
import type { ProgressEvent } from "../model/progress.ts"
import type { RunSettings } from "../model/runSettings.ts"
import { openWarehouse, type Place, placeOf, storageOf } from "../publication/warehouse.ts"
import { byWarehouseClock, extraction, type ExtractionOptions } from "../run/run.ts"
import { Runner } from "../run/Runner.ts"
import { knownDrift } from "../run/state.ts"
import { agreementOf, differencesOf, OtherSettings } from "./agreement.ts"
import { claimedTasks } from "./claimedTasks.ts"
import { connected, type ConnectionOptions } from "./connected.ts"
import { withReachableStore } from "./reachableStore.ts"
import type { RunRequest } from "./request.ts"

export type WorkerEvent =
  | ProgressEvent
  /** Nothing to do until a run is planned. */
  | { readonly kind: "idle" }
  | { readonly kind: "joined"; readonly run: OpenRun }
  /** The run's planner is gone, or it has one again. */
  | { readonly kind: "planner"; readonly run: OpenRun }
  /** Another worker has claimed the task, or the run has ended: nothing of it was committed since. */
  | { readonly kind: "lost"; readonly task: TaskName }
  | { readonly kind: "left"; readonly runId: string; readonly seconds: number }

export interface WorkerOptions extends ExtractionOptions, Omit<ConnectionOptions, "onConnection"> {
  /** Part of the name of its archive segments: letters, digits, `-` and `_`. */
  readonly name: string
  readonly version: string
  /** Replaces the key of `api` in each run. */
  readonly presentApiKey: Effect.Effect<ExtractionOptions["api"]["apiKey"], ConfigError>
  readonly settings: RunSettings
  readonly unsupportedRetryDays: number
  readonly taskTimeoutSeconds: number
  readonly onEvent: (event: WorkerEvent) => void
}

const POLL_MILLIS = 500

// A task whose workers ended this often would end the next ones too. Each end of a worker counts for all of the up to
// 64 tasks that it held, whichever caused it: with a limit of 5, five killed workers cost a run 40 tasks.
const MAX_ATTEMPTS = 20

/** Works until it is interrupted. Fails if it must not or can't continue; it can then be started again. */
export const work = Effect.fnUntraced(function* (options: WorkerOptions) {
  yield* checkLake(options)
  const onConnection = (text: string): void => options.onEvent({ kind: "waiting", text })
  const { archive, lake } = options
  const stores = { locations: [archive, lake?.data], access: objectStoreAccess, onConnection }
  return yield* connected({ ...options, onConnection }, ({ session }) =>
    withReachableStore(stores, workOn(session, options)),
  )
})

/** Checks at the start, not when the first run begins, that extensions, catalog and files are all there. */
const checkLake = Effect.fnUntraced(function* (place: Place) {
  const storage = yield* storageOf(place)
  const condition = yield* Effect.promise(() => storage.inspect(coreTables))
  if (condition.state !== "broken") return
  return yield* new LoadError({
    reason: "Files",
    what: "This worker can't use the lake",
    why: condition.why.replace(/\.$/, ""),
    advice: condition.advice ?? "`vaulthouse doctor` shows what is missing.",
  })
})

const workOn = (session: WorkRows, options: WorkerOptions) =>
  Effect.gen(function* () {
    yield* session("hold_worker_lock")
    options.onEvent({ kind: "idle" })
    const findOpenRun = watchPlanner(session, options)
    for (;;) {
      const run = yield* findOpenRun
      if (run === undefined || run.isRead) {
        yield* Effect.sleep(POLL_MILLIS)
        continue
      }
      const api = { ...options.api, apiKey: yield* options.presentApiKey }
      const present = { ...options, api }
      const differences = differencesOf(run.settings, agreementOf(run.runId, present))
      if (differences.length > 0) {
        return yield* new OtherSettings({ runId: run.runId, planner: run.planner, differences })
      }
      yield* joinRun(present, run, findOpenRun)
    }
  })

type FindOpenRun = ReturnType<typeof watchPlanner>

/** The run that has not ended; reports once that its planner is gone, and once that there is one again. */
const watchPlanner = (session: WorkRows, { onEvent }: WorkerOptions) => {
  let hasPlanner = true
  return Effect.tap(unfinishedRun(session), (run) =>
    Effect.sync(() => {
      const isPlanned = run?.hasPlanner ?? true
      if (run !== undefined && isPlanned !== hasPlanner) onEvent({ kind: "planner", run })
      hasPlanner = isPlanned
    }),
  )
}

const joinRun = Effect.fnUntraced(function* (
  options: WorkerOptions,
  run: OpenRun,
  findOpenRun: FindOpenRun,
) {
  const { name, onEvent } = options
  const { runId } = run
  const begun = yield* Clock.currentTimeMillis
  onEvent({ kind: "joined", run })
  yield* byWarehouseClock(readTasks(options, run, findOpenRun)).pipe(
    Effect.provide(
      Layer.provideMerge(
        extraction(
          { ...options, onRetry: (retry) => onEvent({ kind: "retry", ...retry }) },
          runId,
          // Each time that it joins: a segment that it had before a connection was lost has committed responses.
          `${name}-${randomBytes(2).toString("hex")}`,
        ),
        openWarehouse({ ...placeOf(options), runId, sharesDataDir: true }),
      ),
    ),
    Effect.annotateLogs({ run_id: runId, worker: name }),
  )
  const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
  onEvent({ kind: "left", runId, seconds })
  onEvent({ kind: "idle" })
})

const readTasks = Effect.fnUntraced(function* (
  options: WorkerOptions,
  run: OpenRun,
  findOpenRun: FindOpenRun,
) {
  const { runId } = run
  const { onEvent, taskTimeoutSeconds } = options
  const { context } = run.request as RunRequest
  const hasKey = options.api.apiKey !== undefined
  const runner = new Runner(
    { runId, taskTimeoutSeconds, hasKey, onProgress: onEvent },
    yield* knownDrift(yield* Warehouse),
  )
  const queue = yield* taskQueue(runId)
  const claimed = yield* claimedTasks(runId, options.name)
  const archive = yield* ResponseArchive

  const read = Effect.fnUntraced(function* (task: TaskName, attempts: number) {
    const pipeline = pipelines.find(({ name }) => name === task.pipeline)
    const planned = yield* claimed(task)
    if (pipeline === undefined || planned?.claim === undefined) return
    yield* attempts > MAX_ATTEMPTS
      ? runner.giveUp(pipeline, planned, "WorkerLost", givenUp)
      : runner.read(pipeline, planned, context)
    yield* finishClaim(planned.claim)
  })
  // Fails inside the queue, so that the task is offered again: whoever has claimed it since may be gone, and what the queue
  // takes for done is not offered to anyone.
  const readOne = Effect.catchIf(
    queue.take((task, attempts) =>
      Effect.tapError(read(task, attempts), (error) =>
        Effect.sync(() => {
          if (isClaimLost(error)) onEvent({ kind: "lost", task })
        }),
      ),
    ),
    isClaimLost,
    () => Effect.void,
  )
  const isOver = Effect.map(
    findOpenRun,
    (open) => open === undefined || open.runId !== runId || open.isRead,
  )
  yield* Effect.replicateEffect(Effect.forever(readOne), TASKS_AT_ONCE, {
    concurrency: "unbounded",
    discard: true,
  }).pipe(
    Effect.raceFirst(Effect.repeat(isOver, { until: (over) => over, schedule: everyPoll })),
    // By then its tasks have been given back, and its commits have ended.
    Effect.onInterrupt(() => Effect.ignore(archive.end)),
  )
  yield* archive.end
})

const everyPoll = Schedule.spaced(POLL_MILLIS)

const givenUp = `workers that held it ended or failed ${MAX_ATTEMPTS} times; their logs say why`

const isClaimLost = (error: unknown): boolean =>
  error instanceof LoadError && error.reason === "ClaimLost"
