// Commits what the tasks of a run have read: each result gets an outcome, lands in its own transaction, and is counted.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ArchiveError, ResponseArchive } from "../../archive/ResponseArchive.ts"
import { recordedOutcome } from "../../domain/run/outcome.ts"
import { microsFromMillis } from "../../domain/values/time.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { LoadError } from "../../load/errors.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { AnyPipeline, Partition } from "../model/Pipeline.ts"
import type { OnProgress } from "../model/progress.ts"
import type { TaskResult } from "../model/TaskResult.ts"
import { checkClock, type ClockWrong } from "./clock.ts"
import { type DriftKey, KnownDrift } from "./task/KnownDrift.ts"
import { countTask } from "./metrics.ts"
import type { PlannedTask } from "./state.ts"
import type { Tally } from "./Tally.ts"
import type { Landing } from "./task/landings.ts"
import { type Resolved, resolveOutcome } from "./task/outcome.ts"
import { type Queued, queueTask, type ReadTask } from "./task/queueTask.ts"
import {
  afterRefusal,
  type Before,
  following,
  isNotTried,
  isRefusedByWarehouse,
  refusedResult,
} from "./task/refusedResult.ts"
import { reportTask } from "./task/reportTask.ts"

/** When the partition's current task began: once the previous one was read, and committed if this one waited for it. */
export interface Timing {
  since: number
}

/** The part of a planned task that a commit needs. */
export interface Committing extends Pick<PlannedTask, "claim"> {
  readonly partition: Pick<Partition<unknown>, "entity" | "vault">
}

/** A result of a task, and what becomes of it. */
interface ReadResult {
  readonly result: TaskResult
  readonly resolved: Resolved
  /** How long reading took. */
  readonly seconds: number
}

/** What stops the whole run. */
export type RunError = ArchiveError | LoadError | ClockWrong

type CommitServices = ResponseArchive | Warehouse

export interface TaskCommitsOptions {
  readonly runId: string
  readonly onProgress: OnProgress
  /** By pipeline: where what is committed is counted. */
  readonly tallies: ReadonlyMap<string, Tally>
}

export class TaskCommits {
  private readonly options: TaskCommitsOptions
  private readonly drift: KnownDrift

  constructor(options: TaskCommitsOptions, known: ReadonlyArray<DriftKey>) {
    this.options = options
    this.drift = new KnownDrift(known)
  }

  /** Queues one result behind the one before it. Not to be interrupted, except while it is resolved. */
  land(
    pipeline: AnyPipeline,
    task: PlannedTask,
    read: TaskResult,
    timing: Timing,
    before: Landing<RunError> | undefined,
  ): Effect.Effect<Landing<RunError, CommitServices>, RunError, ApiClient | CommitServices> {
    return Effect.gen({ self: this }, function* () {
      yield* checkClock
      const startedAt = yield* Clock.currentTimeMillis
      const seconds = (startedAt - timing.since) / 1000
      timing.since = startedAt
      const resolve = this.resolver(pipeline, task, read.window, startedAt)
      const drift = this.drift.add(pipeline.endpoint.name, read.drift ?? [])
      const result: TaskResult = { ...read, drift }
      const resolved = yield* Effect.interruptible(resolve(result))
      const first = { result, resolved, seconds }
      const { queued, committed } = yield* this.queue(pipeline, task, first, before?.queued)
      const landed = Effect.flatMap(Effect.result(committed), (tried) =>
        Result.isSuccess(tried)
          ? Effect.succeed(allLanded)
          : this.landRefused(pipeline, task, first, tried.failure, before, resolve),
      )
      const timed = Effect.tap(landed, () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          timing.since = now
        }),
      )
      return { queued, landed: timed }
    })
  }

  /** Commits a task with its rows, cursor and bookkeeping, and counts it. */
  commit(
    pipeline: AnyPipeline,
    task: Committing,
    committing: ReadResult,
  ): Effect.Effect<void, ArchiveError | LoadError, CommitServices> {
    return Effect.uninterruptible(
      Effect.flatMap(this.queue(pipeline, task, committing), ({ committed }) => committed),
    )
  }

  /** Decides what becomes of a result of this window, as of `millis`. */
  private resolver(
    pipeline: AnyPipeline,
    { partition: { entity } }: PlannedTask,
    window: string,
    millis: number,
  ) {
    const { name, endpoint } = pipeline
    const key = { runId: this.options.runId, pipeline: name, entity, window }
    const circumstances = {
      now: microsFromMillis(millis),
      cacheSeconds: endpoint.serverCacheSeconds ?? 0,
      hasFixedWindows: pipeline.windows !== undefined,
    }
    return (result: TaskResult) => resolveOutcome(key, result, circumstances)
  }

  /**
   * The result was refused, or follows one that was: waits until that is recorded. What lands then is the result, or the
   * record that the warehouse refused it.
   */
  private landRefused(
    pipeline: AnyPipeline,
    task: PlannedTask,
    { result, resolved, seconds }: ReadResult,
    failure: ArchiveError | LoadError,
    before: Landing<RunError> | undefined,
    resolve: ReturnType<TaskCommits["resolver"]>,
  ): Effect.Effect<Before, RunError, CommitServices> {
    const { entity } = task.partition
    return Effect.gen({ self: this }, function* () {
      const earlier = before === undefined ? allLanded : yield* before.landed
      let refusal: ArchiveError | LoadError = failure
      if (isNotTried(failure)) {
        const again = { result: following(entity, earlier, result), resolved, seconds }
        const tried = yield* Effect.result(this.commit(pipeline, task, again))
        if (Result.isSuccess(tried)) return earlier
        refusal = tried.failure
      }
      if (!isRefusedByWarehouse(refusal)) return yield* Effect.fail(refusal)

      const refused = refusedResult(pipeline, entity, result, refusal)
      const after = afterRefusal(pipeline, earlier, refused)
      const recorded = following(entity, after, refused)
      yield* this.commit(pipeline, task, {
        result: recorded,
        resolved: yield* resolve(recorded),
        seconds,
      })
      return after
    })
  }

  /** Queues a task for its commit, which `committed` waits for and counts. */
  private queue(
    pipeline: AnyPipeline,
    { partition: { entity, vault }, claim }: Committing,
    { result: read, resolved, seconds }: ReadResult,
    after?: Queued,
  ) {
    const { runId, onProgress, tallies } = this.options
    const { name, endpoint } = pipeline
    const { outcome, rows } = resolved
    const result: TaskResult = { ...read, rows }
    return Effect.gen(function* () {
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
          tallies.get(name)?.count(result, resolved, counts)
          reportTask(onProgress, task, result, resolved, counts)
        }),
      )
      return { queued, committed: counted }
    })
  }
}

const allLanded: Before = { mayMove: true }
