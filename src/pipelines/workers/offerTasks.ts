// The reading of a run by workers: offers the tasks of every pipeline once those before it have ended, and waits until
// they are done. The plan is recorded first, so that a planner that continues the run offers the same tasks.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ResponseArchive } from "../../archive/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { planClaims, plannedClaims, progressOf } from "./claims.ts"
import { taskQueue } from "../../load/work/queue.ts"
import type { WorkRows } from "../../load/work/WorkDatabase.ts"
import { isAwaited, pipelines } from "../pipelines.ts"
import type { AnyPipeline, RunContext } from "../model/Pipeline.ts"
import { createMartViews } from "../publication/martViews.ts"
import { closeQuarantine } from "../run/task/quarantine.ts"
import { Runner } from "../run/Runner.ts"
import { skipReason, type SyncOptions, withDependencies } from "../run/selection.ts"
import { plannedTasks, storedState, type StoredState } from "../run/state.ts"
import { summaryOf } from "../run/summary.ts"
import { PipelineReading } from "./PipelineReading.ts"
import { cursorsByPartition, taskRequestOf } from "./request.ts"
import { RunProgress } from "./RunProgress.ts"
import { waitingNotes } from "./waitingNotes.ts"

const POLL_MILLIS = 25
// The wait is this many times as long as counting took, so that a run of many tasks does not keep the database busy.
const WAITS_PER_POLL = 10
// How often the records of the tasks are counted; four times as often where a pipeline has ended.
const COUNT_MILLIS = 2000

/** Waits until workers have read everything, and returns the summary of the run. */
export const offerTasks = Effect.fnUntraced(function* (
  options: SyncOptions,
  context: RunContext,
  session: WorkRows,
) {
  const { runId, onProgress } = options
  if (context.fillGaps) yield* createMartViews
  const queue = yield* taskQueue(runId)
  const progress = new RunProgress(runId, options.hasKey, onProgress)
  const selected = withDependencies(pipelines, options.pipelines)
  const stored = yield* storedState(yield* Warehouse, selected, context, options)
  const waiting = waitingNotes(onProgress)
  const inOrder = [...selected.filter(isAwaited), ...selected.filter((each) => !isAwaited(each))]
  const readings = new Map<string, PipelineReading>()
  const ended = new Set<string>()
  const isReady = ({ name, after }: AnyPipeline): boolean =>
    !readings.has(name) &&
    after.every((each) => ended.has(each) || !selected.some((other) => other.name === each))
  /** Ended since what they have read was last counted. */
  const unreported: Array<AnyPipeline> = []
  let countedAt = 0

  /** Finds out whether the key is refused, for pipelines of which a first task is done. */
  const learnOf = Effect.fnUntraced(function* (probed: ReadonlyArray<PipelineReading>) {
    const refusable = probed.filter(({ pipeline }) => progress.key.mayRefuse(pipeline))
    if (refusable.length === 0) return
    yield* progress.learn
    for (const reading of refusable) reading.isRefused = progress.key.isRefused(reading.pipeline)
  })

  const offer = (reading: PipelineReading) => {
    const { name: pipeline } = reading.pipeline
    return queue.offer(reading.next().map((entity) => ({ pipeline, entity })))
  }

  const begin = Effect.fnUntraced(function* (pipeline: AnyPipeline) {
    const claims = yield* claimsOf(options, stored, pipeline, context)
    const reading = new PipelineReading(pipeline, claims)
    readings.set(pipeline.name, reading)
    yield* progress.begin(pipeline, claims.length)
    if (reading.done > 0) {
      progress.done(pipeline, reading.done)
      yield* learnOf([reading])
    }
    yield* offer(reading)
  })

  /** Returns whether tasks have been done since the last call. */
  const follow = Effect.fnUntraced(function* () {
    let isNews = false
    const probed: Array<PipelineReading> = []
    for (const { pipeline: name, done } of yield* progressOf(session, runId)) {
      const reading = readings.get(name)
      if (reading === undefined || done === reading.done) continue
      const { pipeline, done: before } = reading
      reading.done = done
      if (before === 0) probed.push(reading)
      progress.done(pipeline, done - before)
      isNews = true
    }
    yield* learnOf(probed)
    return isNews
  })

  for (;;) {
    const polledAt = yield* Clock.currentTimeMillis
    const isNews = yield* follow()
    const now = yield* Clock.currentTimeMillis
    // Workers take tasks in the order in which they are offered.
    for (const { name } of inOrder) {
      const reading = readings.get(name)
      if (reading !== undefined) yield* offer(reading)
    }
    const over = selected.filter(({ name }) => !ended.has(name) && readings.get(name)?.isOver)
    for (const { name } of over) ended.add(name)
    // Before anything is counted, so that workers have something to read meanwhile.
    const ready = inOrder.filter(isReady)
    for (const pipeline of ready) yield* begin(pipeline)
    unreported.push(...over)
    const isEnd = ended.size === selected.length
    const counted = unreported.length > 0 ? COUNT_MILLIS / 4 : COUNT_MILLIS
    if (isEnd || now >= countedAt + counted) {
      yield* progress.count
      countedAt = now
      for (const pipeline of unreported.splice(0)) yield* progress.finish(pipeline)
    }
    if (isEnd) break
    if (over.length + ready.length > 0) continue
    yield* waiting(isNews)
    yield* Effect.sleep(Math.max(POLL_MILLIS, WAITS_PER_POLL * (now - polledAt)))
  }
  yield* progress.learn
  yield* closeQuarantine(runId)
  return yield* summaryOf(options, progress)
})

/** The planned tasks of a pipeline: recorded by an earlier planner of the run, or planned now. */
const claimsOf = Effect.fnUntraced(function* (
  options: SyncOptions,
  stored: StoredState,
  pipeline: AnyPipeline,
  context: RunContext,
) {
  const { runId } = options
  const reason = skipReason(pipeline.endpoint, options)
  if (reason !== undefined) {
    const runner = new Runner(options, [])
    yield* Effect.provide(runner.skip(pipeline, reason), ResponseArchive.nowhere())
    return []
  }
  const earlier = yield* plannedClaims(runId, pipeline.name)
  if (earlier.length > 0) return earlier
  const tasks = yield* plannedTasks(yield* Warehouse, stored, pipeline, context, options)
  const cursors = cursorsByPartition(stored.cursors(pipeline.name))
  const claims = tasks.map((task) => ({
    entity: task.partition.entity,
    task: taskRequestOf(pipeline, task, context, cursors.get(task.partition.entity)),
  }))
  yield* planClaims(runId, pipeline.name, claims)
  return yield* plannedClaims(runId, pipeline.name)
})
