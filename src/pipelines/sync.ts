// One run: the list of vaults, then every pipeline for every vault, then the readers' copies.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { canonicalAddress } from "../domain/address.ts"
import { ApiError } from "../domain/errors.ts"
import { dayOf, microsFromMillis } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { ApiClient } from "../extract/ApiClient.ts"
import { ResponseArchive } from "../extract/ResponseArchive.ts"
import { Warehouse } from "../load/Warehouse.ts"
import { VAULTS, vaultPipelines } from "./catalog.ts"
import { rememberedBy, storedVaults } from "./memory.ts"
import type { RunContext, RunSettings, VaultPipeline } from "./Pipeline.ts"
import type { OnProgress, RunOutcome, RunSummary } from "./progress.ts"
import { Runner } from "./Runner.ts"
import { vaultLists } from "./vaults/vaults.ts"

export interface SyncOptions {
  readonly runId: string
  /** Pipelines to run; all when empty. */
  readonly pipelines: ReadonlyArray<string>
  readonly vaults: VaultFilter
  readonly settings: RunSettings
  readonly taskTimeoutSeconds: number
  readonly unsupportedRetryDays: number
  readonly onProgress: OnProgress
}

/** Addresses in any spelling; everything when `include` is empty. */
export interface VaultFilter {
  readonly include: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
}

// More tasks than requests under way: while some wait for the writer, others ask.
const TASKS_AT_ONCE = 48

/** Extracts and loads. Publishing is the caller's next step (`publish.ts`). */
export const sync = Effect.fnUntraced(function* (options: SyncOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const now = microsFromMillis(startedAt)
  const context: RunContext = { ...options.settings, now, today: dayOf(now) }
  const runner = new Runner(options)
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
    ({ status, list }) =>
      runner.task(
        tally,
        "-",
        Stream.fromEffect(list).pipe(
          Stream.map(({ step, refs: listed }) => {
            for (const ref of listed) refs.set(keyOf(ref), ref)
            return step
          }),
          Stream.mapError((error) =>
            error._tag === "ApiError" ? new ApiError({ ...error, subject: status }) : error,
          ),
        ),
      ),
    { concurrency: vaultLists.length, discard: true },
  )
  yield* runner.finish(tally)
  return [...refs.values()]
})

const keyOf = ({ chainId, address }: VaultRef): string => `${chainId} ${address}`

const chosen = ({ include, exclude }: VaultFilter) => {
  const canonical = (texts: ReadonlyArray<string>) =>
    new Set(texts.map((text) => canonicalAddress(text)?.canonical ?? text))
  const included = canonical(include)
  const excluded = canonical(exclude)
  return ({ address }: VaultRef): boolean =>
    (included.size === 0 || included.has(address)) && !excluded.has(address)
}

const runPipeline = Effect.fnUntraced(function* (
  runner: Runner,
  pipeline: VaultPipeline,
  vaults: ReadonlyArray<VaultRef>,
  context: RunContext,
  options: SyncOptions,
) {
  const warehouse = yield* Warehouse
  const memories = yield* rememberedBy(warehouse, pipeline.name, context.now, options)
  const included = vaults.filter(pipeline.includes)
  const asked = pipeline.perChain ? included : onePerAddress(included)
  const due = asked.filter((vault) => !memories.isUnsupported(entityOf(vault, asked)))
  const tally = yield* runner.begin(pipeline.name, pipeline.title, due.length)
  yield* Effect.forEach(
    due,
    (vault) => {
      const memory = memories.of(entityOf(vault, asked))
      return runner.task(tally, memory.entity, pipeline.steps(vault, memory, context))
    },
    { concurrency: TASKS_AT_ONCE, discard: true },
  )
  yield* runner.finish(tally)
})

/** The same one in every run: that on the lowest chain id. */
const onePerAddress = (vaults: ReadonlyArray<VaultRef>): ReadonlyArray<VaultRef> => [
  ...new Map(
    vaults.toSorted((a, b) => b.chainId - a.chainId).map((vault) => [vault.address, vault]),
  ).values(),
]

/** The address; with its chain where one address is a vault on several. */
const entityOf = ({ address, chainId }: VaultRef, all: ReadonlyArray<VaultRef>): string =>
  all.some((other) => other.address === address && other.chainId !== chainId)
    ? `${address}@${chainId}`
    : address

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
