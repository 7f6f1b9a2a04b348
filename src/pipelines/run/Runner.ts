// Reads the partitions of one run: each task lands in its own transaction, fails on its own, and is counted.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ActiveTime } from "../../domain/run/ActiveTime.ts"
import type { ApiError } from "../../domain/wire/errors.ts"
import { recordedOutcome } from "../../domain/run/outcome.ts"
import { spanned } from "../../domain/run/span.ts"
import { CurrentTask } from "../../domain/run/task.ts"
import { microsFromMillis } from "../../domain/values/time.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { ArchiveError, ResponseArchive } from "../../archive/ResponseArchive.ts"
import type { Queued } from "../../load/commit/commitQueue.ts"
import type { LoadError } from "../../load/errors.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import { isAwaited } from "../pipelines.ts"
import type { AnyPipeline, Partition, RunContext } from "../model/Pipeline.ts"
import type { OnProgress } from "../model/progress.ts"
import type { TaskResult } from "../model/TaskResult.ts"
import { failedResult } from "../strategies/taskResult.ts"
import { checkClock, type ClockAhead } from "./clock.ts"
import { KeyUse } from "./KeyUse.ts"
import { type DriftKey, KnownDrift } from "./KnownDrift.ts"
import { defectError } from "./task/defect.ts"
import { type Landing, landings } from "./task/landings.ts"
import { countTask } from "./metrics.ts"
import { isReadFailure, type Resolved, resolveOutcome } from "./task/outcome.ts"
import { queueTask, type ReadTask } from "./task/queueTask.ts"
import {
  afterRefusal,
  type Before,
  following,
  isNotTried,
  isRefusedByWarehouse,
  refusedResult,
} from "./task/refusedResult.ts"
import { reportTask } from "./task/reportTask.ts"
import type { PlannedTask } from "./state.ts"
import { Tally } from "./Tally.ts"
import { outOfTime } from "./task/taskTime.ts"

export interface RunnerOptions {
  readonly runId: string
  readonly taskTimeoutSeconds: number
  readonly hasKey: boolean
  readonly onProgress: OnProgress
}

/** When the partition's current task began: once the previous one was read, and committed if this one waited for it. */
interface Timing {
  since: number
}

/** The part of a planned task that a commit needs. */
interface Committing extends Pick<PlannedTask, "claim"> {
  readonly partition: Pick<Partition<unknown>, "entity" | "vault">
}

/** What stops the whole run. */
type RunError = ArchiveError | LoadError | ClockAhead

type Services = ApiClient | ResponseArchive | Warehouse

export class Runner {
  readonly tallies = new Map<string, Tally>()
  readonly key: KeyUse
  private readonly options: RunnerOptions
  private readonly drift: KnownDrift

  constructor(options: RunnerOptions, known: ReadonlyArray<DriftKey>) {
    this.options = options
    this.key = new KeyUse(options.hasKey)
    this.drift = new KnownDrift(known)
  }

  /** Starts counting a pipeline. */
  begin({ name, title }: AnyPipeline, tasks: number): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      this.tallies.set(name, new Tally(name, title, now))
      this.options.onProgress({ kind: "started", pipeline: name, tasks })
    })
  }

  finish({ name }: AnyPipeline): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      const tally = this.tallies.get(name)
      if (tally === undefined) return
      tally.finish(now)
      this.options.onProgress({ kind: "finished", pipeline: name, summary: tally.summary })
    })
  }

  /**
   * Reads a partition to its end. Errors become outcomes of its tasks; fails only if nothing can land, because the
   * archive or the warehouse can't be written or the clock is wrong.
   */
  read(
    pipeline: AnyPipeline,
    task: PlannedTask,
    context: RunContext,
  ): Effect.Effect<void, RunError, Services> {
    if (this.key.isRefused(pipeline)) return Effect.void
    const { partition, state } = task
    const { entity, unsupported } = partition
    const { name } = pipeline
    const done = Effect.sync(() => {
      this.options.onProgress({ kind: "done", pipeline: name, entity })
    })
    if (unsupported !== undefined) {
      const resolved: Resolved = { outcome: "unsupported", rows: [], text: unsupported }
      return Effect.andThen(this.recordUnread(pipeline, task, resolved), done)
    }
    const { failing } = state
    if (failing?.waits !== undefined) {
      return Effect.andThen(this.giveUp(pipeline, task, failing.errorTag, failing.waits), done)
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const timing = { since: now }
      // What other pipelines wait for goes first, however short it is.
      const expectedRequests = isAwaited(pipeline)
        ? Infinity
        : pipeline.expectedRequests(partition, state, context)
      const activeTime = new ActiveTime(now)
      let failure: ApiError | undefined
      const land = (result: TaskResult, before?: Landing<RunError>) => {
        if (result.error !== undefined && isReadFailure(result.error)) failure ??= result.error
        // Partitions already being read land too: their responses are on record.
        this.key.learn(pipeline, entity, result.error?.reason._tag)
        return this.land(pipeline, task, result, timing, before)
      }
      const { next, rest } = landings(land)
      return pipeline.read(partition, state, context).pipe(
        // Reads the next page while this one is being marked in the archive.
        Stream.buffer({ capacity: 1 }),
        Stream.runForEach(next),
        Effect.onExit(() => rest),
        Effect.raceFirst(outOfTime(activeTime, this.options.taskTimeoutSeconds, name, entity)),
        Effect.catchDefect((defect) => Effect.fail(defectError(pipeline, entity, defect))),
        Effect.catchTag("ApiError", (error) =>
          Effect.uninterruptible(
            Effect.flatMap(land(failedResult("rest", error)), ({ landed }) => landed),
          ).pipe(Effect.tapError(() => this.note(pipeline, entity, error))),
        ),
        // Raises an error in committing a page that an error of the service, or the time limit, came on top of.
        Effect.andThen(rest),
        Effect.provideService(CurrentTask, {
          pipeline: name,
          entity,
          activeTime,
          expectedRequests,
          failedBefore: failing?.errorTag,
        }),
        // The failure has landed; it is raised again only for the span.
        Effect.andThen(Effect.suspend(() => failure ?? Effect.void)),
        Effect.annotateLogs({ pipeline: name, entity }),
        spanned(`task ${name}`, { pipeline: name, entity }),
        Effect.catchTag("ApiError", () => Effect.void),
        Effect.andThen(done),
      )
    })
  }

  /** Shows an error that can't be recorded, because the warehouse fails as well. */
  private note({ name }: AnyPipeline, entity: string, { message }: ApiError): Effect.Effect<void> {
    const text = `${name} of ${entity} was not read to its end: ${message}`
    return Effect.sync(() => this.options.onProgress({ kind: "note", text }))
  }

  /** Records that a pipeline is not read at all, and why. */
  skip(pipeline: AnyPipeline, reason: string) {
    const resolved: Resolved = { outcome: "skipped", rows: [], text: reason }
    return this.recordUnread(pipeline, { partition: { entity: "-" } }, resolved)
  }

  /** Records that a partition is not read further, and why. */
  giveUp(pipeline: AnyPipeline, task: PlannedTask, errorTag: string, reason: string) {
    return this.recordUnread(pipeline, task, {
      outcome: "failed",
      rows: [],
      errorTag,
      text: reason,
    })
  }

  private recordUnread(pipeline: AnyPipeline, task: Committing, resolved: Resolved) {
    const nothing: TaskResult = { window: "all", rows: [], responses: [], requests: 0 }
    return this.commit(pipeline, task, nothing, resolved, 0)
  }

  /** Queues one result behind the one before it. Not to be interrupted, except while it is resolved. */
  private land(
    pipeline: AnyPipeline,
    task: PlannedTask,
    read: TaskResult,
    timing: Timing,
    before: Landing<RunError> | undefined,
  ): Effect.Effect<Landing<RunError, Services>, RunError, Services> {
    const { entity } = task.partition
    const { name, endpoint } = pipeline
    return Effect.gen({ self: this }, function* () {
      yield* checkClock
      const startedAt = yield* Clock.currentTimeMillis
      const seconds = (startedAt - timing.since) / 1000
      timing.since = startedAt
      const { runId } = this.options
      const key = { runId, pipeline: name, entity, window: read.window }
      const circumstances = {
        now: microsFromMillis(startedAt),
        cacheSeconds: endpoint.serverCacheSeconds ?? 0,
        hasFixedWindows: pipeline.windows !== undefined,
      }
      const resolve = (each: TaskResult) => resolveOutcome(key, each, circumstances)
      const drift = this.drift.add(endpoint.name, read.drift ?? [])
      const result: TaskResult = { ...read, drift }
      const resolved = yield* Effect.interruptible(resolve(result))
      const queue = this.queue(pipeline, task, result, resolved, seconds, before?.queued)
      const { queued, committed } = yield* queue
      // What lands is the result, or the record that the warehouse refused it.
      const landed = Effect.gen({ self: this }, function* () {
        const first = yield* Effect.result(committed)
        if (Result.isSuccess(first)) return allLanded

        // It was refused, or it follows one that was: it waits until that is recorded.
        const earlier = before === undefined ? allLanded : yield* before.landed
        const again = following(entity, earlier, result)
        const commitAgain = this.commit(pipeline, task, again, resolved, seconds)
        const tried = isNotTried(first.failure) ? yield* Effect.result(commitAgain) : first
        if (Result.isSuccess(tried)) return earlier
        if (!isRefusedByWarehouse(tried.failure)) return yield* Effect.fail(tried.failure)

        const refused = refusedResult(pipeline, entity, result, tried.failure)
        const after = afterRefusal(pipeline, earlier, refused)
        const recorded = following(entity, after, refused)
        yield* this.commit(pipeline, task, recorded, yield* resolve(recorded), seconds)
        return after
      })
      const timed = Effect.tap(landed, () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          timing.since = now
        }),
      )
      return { queued, landed: timed }
    })
  }

  /** Commits a task with its rows, cursor and bookkeeping, and counts it. */
  private commit(
    pipeline: AnyPipeline,
    task: Committing,
    read: TaskResult,
    resolved: Resolved,
    seconds: number,
  ): Effect.Effect<void, ArchiveError | LoadError, ResponseArchive | Warehouse> {
    return Effect.uninterruptible(
      Effect.flatMap(
        this.queue(pipeline, task, read, resolved, seconds),
        ({ committed }) => committed,
      ),
    )
  }

  /** Queues a task for its commit, which `committed` waits for and counts. */
  private queue(
    pipeline: AnyPipeline,
    { partition: { entity, vault }, claim }: Committing,
    read: TaskResult,
    resolved: Resolved,
    seconds: number,
    after?: Queued,
  ) {
    const { runId } = this.options
    const { name, endpoint } = pipeline
    const { outcome, rows } = resolved
    const result: TaskResult = { ...read, rows }
    return Effect.gen({ self: this }, function* () {
      const now = microsFromMillis(yield* Clock.currentTimeMillis)
      const task: ReadTask = {
        runId,
        pipeline: name,
        entity,
        endpoint: endpoint.name,
        vault,
        outcome,
        now,
        seconds,
        claim,
      }
      const { queued, committed } = yield* queueTask(result, task, resolved, after)
      const counted = Effect.flatMap(committed, (counts) =>
        Effect.map(countTask(pipeline, recordedOutcome(outcome, counts), result), () => {
          this.tallies.get(name)?.count(result, resolved, counts)
          reportTask(this.options.onProgress, task, result, resolved, counts)
        }),
      )
      return { queued, committed: counted }
    })
  }
}

const allLanded: Before = { mayMove: true }
