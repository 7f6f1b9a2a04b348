// Lands the steps of one run: each in its own transaction, each failure its own, all of it counted.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ApiError } from "../../domain/errors.ts"
import type { Outcome, RecordedOutcome } from "../../domain/outcome.ts"
import { ServedTime } from "../../domain/ServedTime.ts"
import { CurrentTask } from "../../domain/task.ts"
import { microsFromMillis } from "../../domain/time.ts"
import type { Drift } from "../../domain/violation.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { AnyEndpoint, AuthTier } from "../../extract/Endpoint.ts"
import { type ArchiveError, ResponseArchive } from "../../extract/ResponseArchive.ts"
import type { LoadError } from "../../load/errors.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { bookkeepingRows, closingOf } from "./bookkeeping.ts"
import { failedStep } from "./failedStep.ts"
import type { Step, Target } from "../Pipeline.ts"
import type { OnProgress } from "./progress.ts"
import { judged } from "./suspicion.ts"
import { Tally } from "./Tally.ts"

export interface RunnerOptions {
  readonly runId: string
  readonly taskTimeoutSeconds: number
  readonly hasKey: boolean
  readonly onProgress: OnProgress
}

interface Going {
  /** When the entity's last step was committed, or its task began: where the next step's time starts. */
  since: number | undefined
  /** How long the server gives the same answer again (§8). */
  readonly cacheSeconds: number
}

type TaskEndpoint = "name" | "auth" | "serverCacheSeconds"

/** What was not asked for. */
const unasked = { window: "all", rows: [], responses: [], requests: 0 } as const

/** Whom a task is about. */
type Whom = Pick<Target<unknown>, "entity" | "vault" | "unaskable">

export class Runner {
  readonly tallies = new Map<string, Tally>()
  private readonly options: RunnerOptions
  /** Drift told already, so that a field is written about once and not once a page. */
  private readonly told: Set<string>
  /** Pipelines the key opens no door to: their other tasks are not even tried. */
  private readonly refused = new Set<string>()
  /** The service has answered something it asks a key for. */
  private keyAccepted = false
  private keyRejected = false

  /** `told`: the drift earlier runs have recorded. */
  constructor(options: RunnerOptions, told: ReadonlyArray<DriftKey>) {
    this.options = options
    this.told = new Set(told.map(driftKey))
  }

  /** Opens the count of a pipeline; `tasks` as far as it is known. */
  begin(name: string, title: string, tasks: number | undefined): Effect.Effect<Tally> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      const tally = new Tally(name, title, now)
      this.tallies.set(name, tally)
      this.options.onProgress({ kind: "started", pipeline: name, tasks })
      return tally
    })
  }

  finish(tally: Tally): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      tally.finish(now)
      this.options.onProgress({ kind: "finished", pipeline: tally.name })
    })
  }

  /**
   * Runs one entity's steps to their end. Never fails for what the service did: that becomes the
   * outcome of a task. Fails when the archive or the warehouse can't be written, since nothing could land.
   */
  task(
    tally: Tally,
    { name, auth, serverCacheSeconds = 0 }: Pick<AnyEndpoint, TaskEndpoint>,
    whom: Whom,
    steps: Stream.Stream<Step, ApiError | ArchiveError, ApiClient>,
  ): Effect.Effect<void, ArchiveError | LoadError, ApiClient | ResponseArchive | Warehouse> {
    if (this.refused.has(tally.name)) return Effect.void
    const { entity, unaskable } = whom
    const settled = Effect.sync(() => {
      this.options.onProgress({ kind: "settled", pipeline: tally.name, entity })
    })
    if (unaskable !== undefined) {
      const step: Step = { ...unasked, endpoint: name, outcome: "unsupported", warning: unaskable }
      const going = { since: undefined, cacheSeconds: 0 }
      return Effect.andThen(this.land(tally, whom, step, going), settled)
    }
    const seconds = this.options.taskTimeoutSeconds
    const going: Going = { since: undefined, cacheSeconds: serverCacheSeconds }
    const landed = (step: Step) => {
      // Entities already being asked land as skipped too: their responses are on record.
      if (this.isRefusalOfKey(step, auth, entity)) this.refused.add(tally.name)
      return this.land(tally, whom, step, going)
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      going.since = now
      const served = new ServedTime(now)
      return steps.pipe(
        // Fetches the next page while this one is being written.
        Stream.buffer({ capacity: 1 }),
        Stream.runForEach(landed),
        Effect.raceFirst(outOfTime(served, seconds, taskTimeout(tally.name, entity, seconds))),
        Effect.catchTag("ApiError", (error) => landed(failedStep(error, "rest"))),
        Effect.provideService(CurrentTask, { pipeline: tally.name, entity, served }),
        Effect.tap(settled),
      )
    })
  }

  /** Commits one step with its cursor, its record and its bookkeeping. */
  land(
    tally: Tally,
    { entity, vault }: Whom,
    told: Step,
    going: Going,
  ): Effect.Effect<void, ArchiveError | LoadError, ResponseArchive | Warehouse> {
    const { runId, onProgress } = this.options
    const pipeline = tally.name
    const drift = (told.drift ?? []).filter((note) => this.isNew(told.endpoint, note))
    return Effect.gen({ self: this }, function* () {
      const warehouse = yield* Warehouse
      const archive = yield* ResponseArchive
      const startedAt = yield* Clock.currentTimeMillis
      const now = microsFromMillis(startedAt)
      const question = { runId, pipeline, entity, window: told.window }
      const {
        outcome: settled,
        rows,
        warning,
        tag = told.error?.reason._tag,
      } = yield* judged(warehouse, question, told, {
        now,
        cacheSeconds: going.cacheSeconds,
      })
      const step: Step = { ...told, outcome: settled, rows }
      const errorText = step.error?.message ?? warning
      const commit = warehouse.commit({
        task: {
          pipeline,
          entity,
          ...(vault === undefined ? {} : { vault }),
          window: step.window,
          ...(step.series === undefined ? {} : { series: step.series }),
          ...(step.covers === undefined ? {} : { covers: step.covers }),
          outcome: settled,
          requests: step.requests,
          seconds: (startedAt - (going.since ?? startedAt)) / 1000,
          ...(tag === undefined ? {} : { errorTag: tag }),
          ...(errorText === undefined ? {} : { errorText }),
        },
        rows: step.rows,
        ...(step.cursor === undefined
          ? {}
          : {
              cursor: { pipeline, entity: step.cursor.entity, cursor: step.cursor.value },
            }),
        bookkeeping: bookkeepingRows(step, { runId, pipeline, entity, vault, now }, drift),
      })
      // The archive is told first: what is in the tables is then never missing from what it can make again.
      const committed = yield* Effect.uninterruptible(
        Effect.andThen(
          step.responses.length === 0 ? Effect.void : archive.close(closingOf(step, question)),
          commit,
        ),
      )
      going.since = yield* Clock.currentTimeMillis
      const outcome = recorded(settled, committed.inserted + committed.revised)
      tally.rowsInserted += committed.inserted
      tally.rowsRevised += committed.revised
      tally.requests += step.requests
      tally.count(outcome, errorText)
      onProgress({
        kind: "page",
        pipeline,
        entity,
        rows: rows.reduce((sum, { length }) => sum + length, 0),
        requests: step.requests,
      })
      if (warning !== undefined && settled !== "skipped") {
        onProgress({ kind: "warning", pipeline, text: `${entity}: ${warning}` })
      }
      onProgress({
        kind: "task",
        pipeline,
        entity,
        outcome,
        ...(errorText === undefined ? {} : { text: errorText }),
      })
    })
  }

  /** Records that a pipeline is not read at all, and why. */
  skip(
    tally: Tally,
    endpoint: Pick<AnyEndpoint, "name">,
    warning: string,
  ): Effect.Effect<void, ArchiveError | LoadError, ResponseArchive | Warehouse> {
    const step: Step = { ...unasked, endpoint: endpoint.name, outcome: "skipped", warning }
    return this.land(tally, { entity: "-" }, step, { since: undefined, cacheSeconds: 0 })
  }

  /** Whether a step tells that the key opens nothing of the pipeline, rather than not this entity. */
  private isRefusalOfKey({ error }: Step, auth: AuthTier, entity: string): boolean {
    const tag = error?.reason._tag
    if (tag === "NotConfigured") return true
    if (tag === undefined && auth !== "public") this.keyAccepted = true
    if (tag === "Unauthorized" && this.options.hasKey) this.keyRejected = true
    if (tag !== "Unauthorized" && tag !== "Forbidden") return false
    // A curator is refused the vaults of others, a user the subaccounts of others: the next may be theirs.
    const ownsSome = auth !== "admin" && entity !== "-"
    return !ownsSome || (tag === "Unauthorized" && !this.keyAccepted)
  }

  /** 401 to a key, and nothing that it opened. */
  get isKeyUnknown(): boolean {
    return this.keyRejected && !this.keyAccepted
  }

  private isNew(endpoint: string, { path, kind }: Drift): boolean {
    const key = driftKey({ endpoint, path, kind })
    if (this.told.has(key)) return false
    this.told.add(key)
    return true
  }
}

export interface DriftKey {
  readonly endpoint: string
  readonly path: string
  readonly kind: string
}

const driftKey = ({ endpoint, path, kind }: DriftKey): string => `${endpoint} ${path} ${kind}`

const recorded = (outcome: Outcome, changed: number): RecordedOutcome =>
  outcome === "landed" ? (changed > 0 ? "loaded" : "unchanged") : outcome

/** Fails once the task has been served for as long as it may take; waiting for its turn does not count. */
const outOfTime = (
  served: ServedTime,
  seconds: number,
  error: ApiError,
): Effect.Effect<never, ApiError> =>
  Effect.gen(function* () {
    for (;;) {
      const left = seconds * 1000 - served.elapsed(yield* Clock.currentTimeMillis)
      if (left <= 0 && !served.isWaiting) return yield* Effect.fail(error)
      yield* Effect.sleep(Math.max(left, 50))
    }
  })

const taskTimeout = (pipeline: string, entity: string, seconds: number): ApiError =>
  new ApiError({
    reason: { _tag: "Timeout", of: "task", seconds },
    endpoint: pipeline,
    subject: entity,
    status: undefined,
    detail: `not done within ${seconds} s; what had landed is kept and the next run goes on from there (--task-timeout allows more)`,
    attempts: 0,
    responses: [],
  })
