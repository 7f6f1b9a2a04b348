// One run: the list of vaults, then every pipeline for every vault, then the readers' copies.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { dayOf, microsFromMillis } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { ApiClient } from "../extract/ApiClient.ts"
import { ResponseArchive } from "../extract/ResponseArchive.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { VAULTS, vaultPipelines } from "./catalog.ts"
import { knownDrift, rememberedBy, storedVaults } from "./memory.ts"
import type { RunContext, VaultPipeline } from "./Pipeline.ts"
import type { RunOutcome, RunSummary } from "./progress.ts"
import { closeQuarantine } from "./quarantine.ts"
import { Runner } from "./Runner.ts"
import { askedBy, chosen, type SyncOptions } from "./selection.ts"
import { vaultLists } from "./vaults/vaults.ts"

// More tasks than requests under way: while some wait for the writer, others ask.
const TASKS_AT_ONCE = 48

/** Extracts and loads. Publishing is the caller's next step (`publish.ts`). */
export const sync = Effect.fnUntraced(function* (options: SyncOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const now = microsFromMillis(startedAt)
  const context: RunContext = { ...options.settings, now, today: dayOf(now) }
  const runner = new Runner(options, yield* knownDrift(yield* Warehouse))
  const selected = vaultPipelines.filter(
    ({ name }) => options.pipelines.length === 0 || options.pipelines.includes(name),
  )
  const vaults = (yield* readVaultList(runner)).filter(chosen(options.vaults))
  yield* Effect.forEach(
    selected,
    (pipeline) => runPipeline(runner, pipeline, vaults, context, options),
    {
      concurrency: "unbounded",
      discard: true,
    },
  )
  yield* closeQuarantine(options.runId)
  yield* (yield* ResponseArchive).flush
  const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1000
  return summaryOf(options.runId, runner, seconds)
})

/** The vaults the service lists, together with those it listed before. */
const readVaultList = Effect.fnUntraced(function* (runner: Runner) {
  const refs = new Map<string, VaultRef>()
  const warehouse = yield* Warehouse
  for (const ref of yield* storedVaults(warehouse)) refs.set(keyOf(ref), ref)
  const tally = yield* runner.begin(VAULTS, "Vaults", vaultLists.length)
  yield* Effect.forEach(
    vaultLists,
    ({ list }) =>
      runner.task(
        tally,
        "-",
        Stream.fromEffect(list).pipe(
          Stream.map(({ step, refs: listed }) => {
            for (const ref of listed) refs.set(keyOf(ref), ref)
            return step
          }),
        ),
      ),
    { concurrency: vaultLists.length, discard: true },
  )
  yield* runner.finish(tally)
  return [...refs.values()]
})

const keyOf = ({ chainId, address }: VaultRef): string => `${chainId} ${address}`

const runPipeline = Effect.fnUntraced(function* (
  runner: Runner,
  pipeline: VaultPipeline,
  vaults: ReadonlyArray<VaultRef>,
  context: RunContext,
  options: SyncOptions,
) {
  const warehouse = yield* Warehouse
  const memories = yield* rememberedBy(warehouse, pipeline.name, context.now, options)
  const asked = askedBy(pipeline, vaults, memories)
  const tally = yield* runner.begin(pipeline.name, pipeline.title, asked.length)
  yield* Effect.forEach(
    asked,
    ({ vault, memory }) =>
      runner.task(tally, memory.entity, pipeline.steps(vault, memory, context)),
    { concurrency: TASKS_AT_ONCE, discard: true },
  )
  yield* runner.finish(tally)
})

const summaryOf = (runId: string, runner: Runner, seconds: number): RunSummary => {
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

export type SyncRequirements = ApiClient | ResponseArchive | Warehouse
