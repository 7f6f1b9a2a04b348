// One run: every pipeline, each once those that tell it whom to ask about have ended.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { dayOf, microsFromMillis } from "../../domain/time.ts"
import { ResponseArchive } from "../../extract/ResponseArchive.ts"
import { Warehouse } from "../../load/Warehouse.ts"
import { pipelines } from "../catalog.ts"
import { type Asked, askedBy, knownDrift, storedVaults } from "./memory.ts"
import type { AnyPipeline, RunContext } from "../Pipeline.ts"
import type { RunOutcome, RunSummary } from "./progress.ts"
import { createMartViews } from "../readers/publish.ts"
import { closeQuarantine } from "./quarantine.ts"
import { Runner } from "./Runner.ts"
import { chosen, closedBy, type SyncOptions, withWhatTheyNeed } from "./selection.ts"

// More tasks than requests under way: while some wait for the writer, others ask.
const TASKS_AT_ONCE = 48

/** Extracts and loads. Publishing is the caller's next step (`publish.ts`). */
export const sync = Effect.fnUntraced(function* (options: SyncOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const now = microsFromMillis(startedAt)
  const context: RunContext = { ...options.settings, now, today: dayOf(now) }
  // What is missing is read from a view, which only publishing makes otherwise.
  if (context.fillGaps) yield* createMartViews
  const runner = new Runner(options, yield* knownDrift(yield* Warehouse))
  const selected = withWhatTheyNeed(pipelines, options.pipelines)
  const ended = new Map(
    yield* Effect.forEach(selected, ({ name }) =>
      Effect.map(Deferred.make<void>(), (done) => [name, done] as const),
    ),
  )
  const inTurn = (pipeline: AnyPipeline) =>
    Effect.gen(function* () {
      for (const before of pipeline.after) {
        const done = ended.get(before)
        if (done !== undefined) yield* Deferred.await(done)
      }
      yield* runPipeline(runner, pipeline, context, options)
      const done = ended.get(pipeline.name)
      if (done !== undefined) yield* Deferred.succeed(done, undefined)
    })
  yield* Effect.forEach(selected, inTurn, { concurrency: "unbounded", discard: true })
  yield* closeQuarantine(options.runId)
  yield* (yield* ResponseArchive).flush
  const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1000
  const vaults = yield* storedVaults(yield* Warehouse)
  return {
    ...summaryOf(options.runId, runner, seconds),
    unknownVaults: options.vaults.include.filter(
      (address) => !vaults.some(chosen({ include: [address], exclude: [] })),
    ),
  }
})

const runPipeline = Effect.fnUntraced(function* (
  runner: Runner,
  pipeline: AnyPipeline,
  context: RunContext,
  options: SyncOptions,
) {
  const warehouse = yield* Warehouse
  const { name, title, endpoint } = pipeline
  const closed = closedBy(endpoint, options)
  if (closed !== undefined) {
    const tally = yield* runner.begin(name, title, 0)
    yield* runner.skip(tally, endpoint, closed)
    return yield* runner.finish(tally)
  }
  const asked = yield* askedBy(warehouse, pipeline, context, options)
  const tally = yield* runner.begin(name, title, asked.length)
  const task = ({ target, memory }: Asked) =>
    runner.task(tally, endpoint, target, pipeline.steps(target, memory, context))
  // What a key opens is asked for once alone, so that a refusal is met once and not by all at once.
  const [first, ...others] = asked
  const probed = endpoint.auth !== "public" && first !== undefined
  if (probed) yield* task(first)
  yield* Effect.forEach(probed ? others : asked, task, {
    concurrency: pipeline.atOnce ?? TASKS_AT_ONCE,
    discard: true,
  })
  yield* runner.finish(tally)
})

const summaryOf = (
  runId: string,
  runner: Runner,
  seconds: number,
): Omit<RunSummary, "unknownVaults"> => {
  const tallies = [...runner.tallies.values()]
  const sum = (count: (tally: (typeof tallies)[number]) => number) =>
    tallies.reduce((total, tally) => total + count(tally), 0)
  const rowsInserted = sum((tally) => tally.rowsInserted)
  const rowsRevised = sum((tally) => tally.rowsRevised)
  return {
    runId,
    outcome: outcomeOf(runner),
    pipelines: tallies.map(({ summary }) => summary),
    requests: sum((tally) => tally.requests),
    rowsInserted,
    rowsRevised,
    seconds,
    published: false,
    nothingNew: rowsInserted + rowsRevised === 0,
    isKeyUnknown: runner.isKeyUnknown,
    failedChecks: [],
  }
}

const outcomeOf = ({ tallies }: Runner): RunOutcome => {
  const all = [...tallies.values()]
  const landed = all.some((tally) =>
    tally.has("loaded", "unchanged", "empty", "suspicious_empty", "unsupported"),
  )
  if (all.some((tally) => tally.has("failed", "quarantined"))) return landed ? "partial" : "failed"
  return all.some((tally) => tally.has("deferred")) ? "deferred" : "complete"
}
