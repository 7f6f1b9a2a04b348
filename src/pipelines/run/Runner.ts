// Reads the partitions of one run: each task lands in its own transaction, fails on its own, and is counted.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ResponseArchive } from "../../archive/ResponseArchive.ts"
import { ActiveTime } from "../../domain/run/ActiveTime.ts"
import { spanned } from "../../domain/run/span.ts"
import { CurrentTask } from "../../domain/run/task.ts"
import type { ApiError } from "../../domain/wire/errors.ts"
import type { ApiClient } from "../../extract/ApiClient.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import { isAwaited } from "../pipelines.ts"
import type { AnyPipeline, RunContext } from "../model/Pipeline.ts"
import type { OnProgress } from "../model/progress.ts"
import type { TaskResult } from "../model/TaskResult.ts"
import { failedResult } from "../strategies/taskResult.ts"
import { KeyUse } from "./KeyUse.ts"
import type { DriftKey } from "./task/KnownDrift.ts"
import type { PlannedTask } from "./state.ts"
import { Tally } from "./Tally.ts"
import { type Committing, type RunError, TaskCommits } from "./TaskCommits.ts"
import { defectError } from "./task/defect.ts"
import { type Landing, landings } from "./task/landings.ts"
import { isReadFailure, type Resolved } from "./task/outcome.ts"
import { outOfTime } from "./task/taskTime.ts"

export interface RunnerOptions {
  readonly runId: string
  readonly taskTimeoutSeconds: number
  readonly hasKey: boolean
  readonly onProgress: OnProgress
}

type Services = ApiClient | ResponseArchive | Warehouse

export class Runner {
  readonly tallies = new Map<string, Tally>()
  readonly key: KeyUse
  private readonly options: RunnerOptions
  private readonly commits: TaskCommits

  constructor(options: RunnerOptions, known: ReadonlyArray<DriftKey>) {
    this.options = options
    this.key = new KeyUse(options.hasKey)
    this.commits = new TaskCommits({ ...options, tallies: this.tallies }, known)
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
    const { entity, unsupported } = task.partition
    const { failing } = task.state
    const done = Effect.sync(() => {
      this.options.onProgress({ kind: "done", pipeline: pipeline.name, entity })
    })
    if (unsupported !== undefined) {
      const resolved: Resolved = { outcome: "unsupported", rows: [], text: unsupported }
      return Effect.andThen(this.recordUnread(pipeline, task, resolved), done)
    }
    if (failing?.waits !== undefined) {
      return Effect.andThen(this.giveUp(pipeline, task, failing.errorTag, failing.waits), done)
    }
    return Effect.flatMap(
      Effect.all([Clock.currentTimeMillis, ActiveTime.start]),
      ([now, activeTime]) =>
        Effect.andThen(this.readPages(pipeline, task, context, now, activeTime), done),
    )
  }

  /** Reads a partition page by page, from `now` on, while earlier pages land. */
  private readPages(
    pipeline: AnyPipeline,
    task: PlannedTask,
    context: RunContext,
    now: number,
    activeTime: ActiveTime,
  ): Effect.Effect<void, RunError, Services> {
    const { partition, state } = task
    const { entity } = partition
    const { name } = pipeline
    const timing = { since: now }
    let failure: ApiError | undefined
    // What --full does not read, the next run reads. It is stored with the first result, which may be the only one.
    let whole = context.full ? pipeline.cursorForWhole?.(partition, state, context) : undefined
    const land = (read: TaskResult, before?: Landing<RunError>) => {
      const result =
        whole === undefined || read.cursor !== undefined
          ? read
          : { ...read, cursor: { entity, value: whole } }
      whole = undefined
      if (result.error !== undefined && isReadFailure(result.error)) failure ??= result.error
      // Partitions already being read land too: their responses are on record.
      this.key.learn(pipeline, entity, result.error?.reason._tag)
      return this.commits.land(pipeline, task, result, timing, before)
    }
    const landFailure = (error: ApiError) =>
      Effect.uninterruptible(
        Effect.flatMap(land(failedResult("rest", error)), ({ landed }) => landed),
      ).pipe(Effect.tapError(() => this.note(pipeline, entity, error)))
    const { next, rest } = landings(land)
    return pipeline.read(partition, state, context).pipe(
      // Reads the next page while this one is being marked in the archive.
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach(next),
      Effect.onExit(() => rest),
      Effect.raceFirst(outOfTime(activeTime, this.options.taskTimeoutSeconds, name, entity)),
      Effect.catchDefect((defect) => Effect.fail(defectError(pipeline, entity, defect))),
      Effect.catchTag("ApiError", landFailure),
      // Raises an error in committing a page that an error of the service, or the time limit, came on top of.
      Effect.andThen(rest),
      Effect.provideService(CurrentTask, {
        pipeline: name,
        entity,
        activeTime,
        // What other pipelines wait for goes first, however short it is.
        expectedRequests: isAwaited(pipeline)
          ? Infinity
          : pipeline.expectedRequests(partition, state, context),
        failedBefore: state.failing?.errorTag,
      }),
      // The failure has landed; it is raised again only for the span.
      Effect.andThen(Effect.suspend(() => failure ?? Effect.void)),
      Effect.annotateLogs({ pipeline: name, entity }),
      spanned(`task ${name}`, { pipeline: name, entity }),
      Effect.catchTag("ApiError", () => Effect.void),
    )
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
    return this.commits.commit(pipeline, task, { result: nothing, resolved, seconds: 0 })
  }
}
