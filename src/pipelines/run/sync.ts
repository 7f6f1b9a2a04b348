// Reads the pipelines of one run, each after those it takes its partitions from.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { spanned } from "../../domain/run/span.ts"
import { dayOf, microsFromMillis } from "../../domain/values/time.ts"
import { ResponseArchive } from "../../archive/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { pipelines } from "../pipelines.ts"
import { type AnyPipeline, type RunContext, TASKS_AT_ONCE } from "../model/Pipeline.ts"
import type { RunSettings } from "../model/runSettings.ts"
import { createMartViews } from "../publication/martViews.ts"
import { reportedClockAhead } from "./clock.ts"
import { closeQuarantine } from "./task/quarantine.ts"
import { Runner } from "./Runner.ts"
import { skipReason, type SyncOptions, withDependencies } from "./selection.ts"
import {
  knownDrift,
  type PlannedTask,
  plannedTasks,
  storedState,
  type StoredState,
} from "./state.ts"
import { summaryOf } from "./summary.ts"

/** The context of a run that begins now. */
export const contextOf = (settings: RunSettings): Effect.Effect<RunContext> =>
  Effect.map(Clock.currentTimeMillis, (millis) => {
    const now = microsFromMillis(millis)
    return { ...settings, now, today: dayOf(now) }
  })

/** Extracts and loads; publishing is the caller's next step. */
export const sync = Effect.fnUntraced(function* (options: SyncOptions) {
  const context = yield* contextOf(options.settings)
  // Missing slots are read from a view, which otherwise only publishing creates.
  if (context.fillGaps) yield* createMartViews
  const warehouse = yield* Warehouse
  const runner = new Runner(options, yield* knownDrift(warehouse))
  const selected = withDependencies(pipelines, options.pipelines)
  const stored = yield* storedState(warehouse, selected, context, options)
  yield* inDependencyOrder(selected, (pipeline) =>
    readPipeline(runner, stored, pipeline, context, options).pipe(
      spanned(`pipeline ${pipeline.name}`, { pipeline: pipeline.name }),
    ),
  )
  yield* closeQuarantine(options.runId)
  yield* (yield* ResponseArchive).end
  const clockAheadSeconds = yield* reportedClockAhead
  return {
    ...(yield* summaryOf(options, runner)),
    ...(clockAheadSeconds === undefined ? {} : { clockAheadSeconds }),
  }
})

/** Runs `work` on all pipelines at once, but each waits for those in its `after`. */
const inDependencyOrder = Effect.fnUntraced(function* <E, R>(
  selected: ReadonlyArray<AnyPipeline>,
  work: (pipeline: AnyPipeline) => Effect.Effect<void, E, R>,
) {
  const ended = new Map<string, Deferred.Deferred<void>>()
  for (const { name } of selected) ended.set(name, yield* Deferred.make<void>())
  const inTurn = Effect.fnUntraced(function* (pipeline: AnyPipeline) {
    for (const name of pipeline.after) {
      const before = ended.get(name)
      if (before !== undefined) yield* Deferred.await(before)
    }
    yield* work(pipeline)
    const done = ended.get(pipeline.name)
    if (done !== undefined) yield* Deferred.succeed(done, undefined)
  })
  yield* Effect.forEach(selected, inTurn, { concurrency: "unbounded", discard: true })
})

const readPipeline = Effect.fnUntraced(function* (
  runner: Runner,
  stored: StoredState,
  pipeline: AnyPipeline,
  context: RunContext,
  options: SyncOptions,
) {
  const { endpoint } = pipeline
  const reason = skipReason(endpoint, options)
  if (reason !== undefined) {
    yield* runner.begin(pipeline, 0)
    yield* runner.skip(pipeline, reason)
    return yield* runner.finish(pipeline)
  }
  const tasks = yield* plannedTasks(yield* Warehouse, stored, pipeline, context, options)
  yield* runner.begin(pipeline, tasks.length)
  // Workers read what they are given: one knows only what it has read itself, and the planner stops offering.
  const read = (task: PlannedTask) =>
    runner.key.isRefused(pipeline) ? Effect.void : runner.read(pipeline, task, context)
  // If a key is needed, the first task runs alone, so that the service refuses a wrong key only once.
  const [first, ...others] = tasks
  const isProbed = endpoint.auth !== "public" && first !== undefined
  if (isProbed) yield* read(first)
  yield* Effect.forEach(isProbed ? others : tasks, read, {
    concurrency: pipeline.atOnce ?? TASKS_AT_ONCE,
    discard: true,
  })
  yield* runner.finish(pipeline)
})
