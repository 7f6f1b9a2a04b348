// A whole run: opens the warehouse, reads the pipelines, checks, publishes, and closes the warehouse.
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultSettings } from "../../config/settings/settings.ts"
import type { Retry } from "../../domain/wire/retry.ts"
import { annotateSpan, spanned } from "../../domain/run/span.ts"
import { ApiClient, type ApiSettings } from "../../extract/ApiClient.ts"
import { Transport } from "../../extract/http/Transport.ts"
import type { PaceOptions } from "../../extract/budget/PaceState.ts"
import { ResponseArchive } from "../../archive/ResponseArchive.ts"
import { resultRows } from "../../load/checks/runChecks.ts"
import type { CheckResult } from "../../domain/run/checkResult.ts"
import { commandId } from "../../domain/run/commandId.ts"
import { newRunId } from "../../domain/run/runId.ts"
import type { LoadError, WarehouseLocked } from "../../load/errors.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { contractChecks, isContractCheck } from "../publication/contractChecks.ts"
import { literal } from "../../load/sql/sql.ts"
import { allChecks, checkTouched, hasErrors } from "../publication/check.ts"
import type { ContractSettings } from "../publication/contractChecks.ts"
import { recordHealth } from "../publication/health.ts"
import { withRechecked } from "../publication/recheck.ts"
import { recordFailedStart, recordLastRun } from "./lastRun.ts"
import { ClockWrong } from "./clock.ts"
import { endDeadRuns } from "./endDeadRuns.ts"
import { learntLimits, requestBudget } from "./budget/requestBudget.ts"
import { lastBodies } from "./state.ts"
import { removeSegments } from "../retention/joinSegments.ts"
import { type Finish, keepInOrder } from "../retention/keepInOrder.ts"
import { type PublishOptions, publishNewsEverywhere } from "../publication/publish.ts"
import { archiveOf, inArchive } from "../publication/archiveOf.ts"
import { openWarehouse, type Place, placeOf } from "../publication/warehouse.ts"
import type { RunSummary } from "../model/progress.ts"
import type { SyncOptions } from "./selection.ts"
import { sync } from "./sync.ts"

export interface RunOptions extends Omit<SyncOptions, "runId" | "hasKey" | "paths">, Place {
  readonly api: ApiSettings
  readonly pace: PaceOptions
  /** How long to wait for another run to release the warehouse; absent: not at all. */
  readonly wait?: Duration.Input
  /** The command line as typed, for ops.runs. */
  readonly command: string
  readonly version: string
  /** `undefined`: leave the readers' copies as they are. */
  readonly publish: PublishOptions | undefined
  /** The setting of that name. */
  readonly keepDays?: number
  /** `false`: a run with a failed check of severity `error` publishes nothing. */
  readonly publishFailedChecks?: boolean
}

export type ExtractionOptions = Pick<RunOptions, "api" | "pace"> & Place

/** The client and the archive of a run. `worker`: the name of this process, if several read the run. */
export const extraction = (
  options: ExtractionOptions & {
    readonly onRetry: (retry: Retry) => void
    readonly onShared?: (others: number) => void
    readonly onLongWait?: Effect.Effect<void>
  },
  runId: string,
  worker?: string,
) => {
  const archive = Effect.gen(function* () {
    const warehouse = yield* Warehouse
    return ResponseArchive.layer({
      store: archiveOf(options),
      runId,
      ...(worker === undefined ? {} : { worker }),
      notBefore: warehouse.openedAt,
      known: yield* lastBodies(warehouse),
    })
  })
  const { onRetry, onLongWait } = options
  const waits = onLongWait === undefined ? { onRetry } : { onRetry, onLongWait }
  return ApiClient.layer({ ...options.api, ...waits }).pipe(
    Layer.provideMerge(Layer.unwrap(archive)),
    Layer.provideMerge(requestBudget(options)),
    Layer.provide(Transport.layer(options.api.proxies)),
  )
}

export const run = Effect.fnUntraced(function* (options: RunOptions) {
  const runId = yield* newRunId
  const onRetry = (retry: Retry): void => options.onProgress({ kind: "retry", ...retry })
  const onShared = (others: number): void =>
    options.onProgress({ kind: "note", text: sharedText(others, options.api.baseUrl) })
  const extract = Layer.unwrap(
    Effect.map(Effect.context<Warehouse>(), (context) => {
      const onLongWait = publishBeforeItsEnd(options, runId).pipe(
        Effect.provide(context),
        Effect.catchTag("LoadError", ({ message }) =>
          Effect.sync(() => options.onProgress({ kind: "note", text: message })),
        ),
      )
      return extraction({ ...options, onRetry, onShared, onLongWait }, runId)
    }),
  )
  return yield* wholeRun({ options, runId, read: sync }, extract)
})

const sharedText = (others: number, baseUrl: string): string =>
  `shares the request budget of ${new URL(baseUrl).origin} with ${others === 1 ? "another process" : `${others} other processes`} of the same lake, so each is slower than it would be alone`

/** How a run reads, and how its record begins and ends. */
interface WholeRun<E, R> {
  readonly options: RunOptions
  readonly runId: string
  readonly read: (options: SyncOptions) => Effect.Effect<ReadSummary, E, R>
  /** Another process has begun it. */
  readonly isContinued?: boolean
  /** Whether this process is still the one to end it. */
  readonly mayEnd?: Effect.Effect<boolean>
}

type ReadSummary = Omit<RunSummary, "seconds">

/** The warehouse for a run, which waits for the lock as its options say. */
export const openedForRun = (options: RunOptions, runId: string) =>
  openWarehouse({
    ...placeOf(options),
    runId,
    ...(options.wait === undefined ? {} : { wait: options.wait }),
    onWait: (locked) => options.onProgress({ kind: "waiting", text: waitingText(locked) }),
  })

/** Opens the warehouse, provides the services of `layer`, then reads, checks, records and publishes. */
export const wholeRun = <E, R, RO, EL>(
  whole: WholeRun<E, R>,
  layer: Layer.Layer<RO, EL, Warehouse>,
) => {
  const { options, runId } = whole
  const start = { dataDir: options.dataDir, runId, command: options.command }
  const opened = Layer.tapError(openedForRun(options, runId), (error) =>
    error._tag === "WarehouseLocked" ? Effect.void : recordFailedStart(start, error),
  )
  return recordLastRun(start, byWarehouseClock(recordedRun(whole))).pipe(
    Effect.provide(Layer.provideMerge(layer, opened)),
    Effect.annotateLogs({ run_id: runId }),
    spanned("run", { run_id: runId, command: options.command }),
  )
}

/** Runs the effect by the clock of the warehouse, so that all machines date responses and rows alike. */
export const byWarehouseClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Warehouse, ({ clock }) => Effect.provideService(effect, Clock.Clock, clock))

export const waitingText = ({ who }: WarehouseLocked): string =>
  `waiting for the warehouse, which ${who} holds`

/** Records the start and the end of the run around its work. The next run records the end of one that was killed. */
const recordedRun = Effect.fnUntraced(function* <E, R>({
  options,
  runId,
  read,
  isContinued = false,
  mayEnd = Effect.succeed(true),
}: WholeRun<E, R>) {
  const warehouse = yield* Warehouse
  options.onProgress({ kind: "run", runId })
  if (!isContinued) {
    yield* endDeadRuns(options)
    yield* warehouse.startRun({
      command: options.command,
      baseUrl: options.api.baseUrl,
      version: options.version,
    })
  }
  const ended = (outcome: "failed" | "stopped") =>
    Effect.flatMap(mayEnd, (may) =>
      may ? Effect.asVoid(warehouse.finishRun(outcome)) : Effect.void,
    )
  const { apiKey, wire } = options.api
  const syncOptions = { ...options, runId, hasKey: apiKey !== undefined, paths: wire.paths }
  const { checked, ...found } = yield* readAndCheck(read(syncOptions), options.settings).pipe(
    Effect.catchIf(
      (error) => error instanceof ClockWrong,
      (error) =>
        Effect.andThen(forgetUnlessLoaded(options, runId, error), (forgot) =>
          Effect.fail(forgot ? error : loadedBefore(error)),
        ),
    ),
    Effect.tapError((error) =>
      error instanceof ClockWrong && error.hasLoaded !== true ? Effect.void : ended("failed"),
    ),
    Effect.onInterrupt(() => Effect.ignore(ended("stopped"))),
  )
  const { seconds } = yield* warehouse.finishRun(
    found.outcome,
    yield* resultRows(runId, checked),
    yield* learntLimits,
  )
  const summary: RunSummary = { ...found, seconds }
  const { outcome, requests, rowsInserted: rows_inserted, rowsRevised: rows_revised } = summary
  yield* annotateSpan({ outcome, requests, rows_inserted, rows_revised })
  // A run that landed nothing does not publish, because a first copy would be empty.
  const isPublishable = !isHeldBack(options, summary.failedChecks) && summary.outcome !== "failed"
  const finish = isPublishable ? yield* keptInOrder(options) : Effect.void
  yield* recordHealth
  const published =
    options.publish === undefined || !isPublishable
      ? {}
      : yield* publishNewsEverywhere(options.publish, options.onProgress)
  yield* finish
  return { ...summary, ...published }
})

const isHeldBack = (options: RunOptions, failed: ReadonlyArray<CheckResult>): boolean =>
  failed.some(isContractCheck) || (options.publishFailedChecks === false && hasErrors(failed))

const failedOf = (checked: ReadonlyArray<CheckResult>): ReadonlyArray<CheckResult> =>
  checked.filter(({ outcome }) => outcome === "failed")

/** Whether a check may hold back the run: its last task may be the one that fails it, and write any table. */
const mayBeHeldBack = ({ publishFailedChecks, settings }: RunOptions): boolean =>
  publishFailedChecks === false || contractChecks(settings).length > 0

/** Publishes what has landed, for a run that may have to wait. What it can't, the end of the run does, and says why. */
const publishBeforeItsEnd = Effect.fnUntraced(function* (options: RunOptions, runId: string) {
  if (options.publish === undefined || mayBeHeldBack(options)) return
  const { rows } = yield* Warehouse
  const landed = `select 1 from ops.tasks where run_id = $1 and outcome = 'loaded' limit 1`
  if ((yield* rows(landed, [runId])).length === 0) return
  const publicationId = yield* commandId("publish")
  yield* publishNewsEverywhere({ ...options.publish, publicationId }, options.onProgress)
})

/** A run whose rows have landed does not fail for it; what could not be done, the next one tries again. */
const orWarn = <A, R>(work: Effect.Effect<A, LoadError, R>, otherwise: A) =>
  work.pipe(
    Effect.catchTag("LoadError", ({ message }) =>
      Effect.as(Effect.logWarning(`old records stay for now: ${message}`), otherwise),
    ),
    spanned("retention"),
  )

const keptInOrder = (options: RunOptions) => {
  // A lake has no process that has it to itself: its administrator calls `prune` and `compact`.
  if ((options.warehouse ?? "file") !== "file") return Effect.succeed(Effect.void)
  const keepDays = options.keepDays ?? defaultSettings.keepDays
  return Effect.map(
    orWarn<Finish, Warehouse>(
      keepInOrder(options, keepDays, options.publish !== undefined),
      Effect.void,
    ),
    (finish) => orWarn(finish, undefined),
  )
}

const readAndCheck = Effect.fnUntraced(function* <E, R>(
  read: Effect.Effect<ReadSummary, E, R>,
  settings: ContractSettings,
) {
  const summary = yield* read
  const checked = yield* checkTouched(settings)
  return {
    ...summary,
    checked: yield* withRechecked(checked, allChecks(settings)),
    // A run fails for what it wrote, and not for what earlier ones left.
    failedChecks: failedOf(checked),
  }
})

/**
 * Removes what a run with a wrong clock has recorded about itself, since later runs are dated after all that is stored, and the
 * archive files with its responses, which no later run would end; returns true. What has been loaded stays, and its record with
 * it: then it returns false. The tables stay marked as changed, by the service's clock: without a mark they would not be published.
 */
const forgetUnlessLoaded = Effect.fnUntraced(function* (
  place: Place,
  runId: string,
  { secondsAhead }: ClockWrong,
) {
  const warehouse = yield* Warehouse
  const ofRun = `where run_id = ${literal(runId)}`
  const loaded = yield* warehouse.rows(`select 1 from ops.tasks ${ofRun} and requests > 0 limit 1`)
  if (loaded.length > 0) return false
  yield* warehouse.execute([
    ...["tasks", "runs"].map((table) => `delete from ops.${table} ${ofRun}`),
    `update ops.partition_changes set changed_at = changed_at - to_seconds(${secondsAhead}) ${ofRun}`,
  ])
  const store = archiveOf(place)
  yield* inArchive(() => store.segments(runId)).pipe(
    Effect.flatMap((segments) =>
      removeSegments(
        store,
        segments.map(({ file }) => file),
      ),
    ),
    // What stays costs space, and a replay names it; the clock is what has to be mended.
    Effect.catch(({ message }) => Effect.logWarning(`archive files of this run stay: ${message}`)),
  )
  return true
})

const loadedBefore = ({ now, secondsAhead, isOfLake }: ClockWrong): ClockWrong =>
  new ClockWrong({ now, secondsAhead, isOfLake, hasLoaded: true })
