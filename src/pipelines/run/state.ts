// The state that earlier runs left, and the tasks a run plans from it.
import * as Effect from "effect/Effect"
import { sendable } from "../../domain/values/address.ts"
import {
  dayOf,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  timestampText,
} from "../../domain/values/time.ts"
import type { Claim } from "../../domain/run/claim.ts"
import type { VaultRef } from "../../domain/subject/vault.ts"
import type { Place } from "../../archive/frames.ts"
import { boolean, decodeRow, number, oneOf, optional, text } from "../../load/duckdb/decodeRow.ts"
import { sqlFile } from "../../load/sql/sqlFile.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { OpenGap, PartitionState } from "../model/PartitionState.ts"
import type { AnyPipeline, Lookup, Partition, RunContext } from "../model/Pipeline.ts"
import { missingSlotsOf } from "./missingSlotsOf.ts"
import { isSelected, type SyncOptions, type VaultFilter } from "./selection.ts"
import { type Unread, unreadPartitions } from "./unread.ts"

type Store = Warehouse["Service"]

/** A partition this run reads, with its state. */
export interface PlannedTask {
  readonly partition: Partition<unknown>
  readonly state: PartitionState
  /** The claim of a worker, which may lose the task to another. */
  readonly claim?: Claim
}

export type Selection = Pick<SyncOptions, "vaults" | "unsupportedRetryDays">

/** What earlier runs left for all pipelines, read at once: a query per pipeline would take longer than its requests. */
export interface StoredState {
  readonly cursors: (pipeline: string) => ReadonlyMap<string, unknown>
  readonly gaps: (pipeline: string) => ReadonlyMap<string, ReadonlyArray<OpenGap>>
  readonly skips: (pipeline: string) => Skips
  readonly unread: (pipeline: string) => Unread
  /** Vaults and subaccounts, queried once, by the first pipeline that comes after their lists. */
  readonly vaults: Lookup["vaults"]
  readonly storedVaults: Lookup["storedVaults"]
  readonly subaccounts: Lookup["subaccounts"]
}

export const storedState = Effect.fnUntraced(function* (
  warehouse: Store,
  pipelines: ReadonlyArray<AnyPipeline>,
  context: RunContext,
  options: Selection,
) {
  const known = yield* Effect.cached(storedVaults(warehouse))
  return {
    cursors: yield* warehouse.cursors,
    gaps: yield* openGaps(warehouse),
    skips: context.full
      ? () => noSkips
      : yield* skipsOf(warehouse, pipelines, context.now, options),
    unread: yield* unreadPartitions(warehouse, context),
    vaults: Effect.map(known, (all) => vaultsToRead(all, options.vaults)),
    storedVaults: known,
    subaccounts: yield* Effect.cached(warehouse.rows(sqlFile("partitions", "subaccounts"))),
  } satisfies StoredState
})

/** Call it after the pipelines in `after` have landed. */
export const plannedTasks = Effect.fnUntraced(function* (
  warehouse: Store,
  stored: StoredState,
  pipeline: AnyPipeline,
  context: RunContext,
  options: Selection,
) {
  const unread = stored.unread(pipeline.name)
  const partitions = yield* pipeline.partitions({
    rows: warehouse.rows,
    vaults: stored.vaults,
    storedVaults: stored.storedVaults,
    subaccounts: stored.subaccounts,
    isSelection: options.vaults.include.length > 0,
    isUnread: (entity) => unread.has(entity),
    context,
  })
  const cursors = stored.cursors(pipeline.name)
  const gaps = stored.gaps(pipeline.name)
  const slots = context.fillGaps ? yield* missingSlotsOf(warehouse, pipeline.name) : undefined
  const skips = stored.skips(pipeline.name)
  const isDue = (partition: Partition<unknown>): boolean => {
    const { entity, unsupported } = partition
    const windows = unsupported === undefined ? pipeline.windows?.(partition, context) : undefined
    return windows === undefined
      ? !skips.hasPartition(entity)
      : windows.some((window) => !skips.hasWindow(entity, window))
  }
  const tasks = partitions.filter(isDue).map((partition): PlannedTask => {
    const { entity, vault } = partition
    const missingSlots = vault === undefined ? undefined : slots?.(vault)
    const failing = unread.get(entity)
    return {
      partition,
      state: {
        cursor: (key) => cursors.get(key),
        openGaps: gaps.get(entity) ?? [],
        isSkipped: (window) => skips.hasWindow(entity, window),
        ...(missingSlots === undefined ? {} : { missingSlots }),
        ...(failing === undefined ? {} : { failing }),
      },
    }
  })
  // Those that are sent first: the first request shows what the key may read.
  return [...tasks.filter(isSent), ...tasks.filter((task) => !isSent(task))]
})

/** Whether the task sends requests: its partition can be requested and does not wait. */
export const isSent = ({ partition, state }: Pick<PlannedTask, "partition" | "state">): boolean =>
  partition.unsupported === undefined && state.failing?.waits === undefined

export const openGap = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  fromAt: number("from_at"),
  toAt: number("to_at"),
})

const openGaps = (warehouse: Store) =>
  Effect.map(warehouse.rows(sqlFile("state", "open_gaps"), [], ["ops.gaps"]), (rows) => {
    const byPipeline = Map.groupBy(rows.map(openGap), ({ pipeline }) => pipeline)
    return (pipeline: string): ReadonlyMap<string, ReadonlyArray<OpenGap>> =>
      Map.groupBy(byPipeline.get(pipeline) ?? [], ({ entity }) => entity)
  })

interface Skips {
  readonly hasWindow: (entity: string, window: string) => boolean
  readonly hasPartition: (entity: string) => boolean
}

const noSkips: Skips = { hasWindow: () => false, hasPartition: () => false }

const skip = decodeRow({
  pipeline: text("pipeline"),
  entity: text("entity"),
  window: optional(text)("window"),
})

const skipKey = (pipeline: string, entity: string, window?: string): string =>
  JSON.stringify([pipeline, entity, window])

/** Remembered absences, and responses that the service would repeat from its cache. */
const skipsOf = Effect.fnUntraced(function* (
  warehouse: Store,
  pipelines: ReadonlyArray<AnyPipeline>,
  now: number,
  { unsupportedRetryDays }: Selection,
) {
  const cached = pipelines.map(
    ({ name, endpoint }) =>
      [name, now - (endpoint.serverCacheSeconds ?? 0) * MICROS_PER_SECOND] as const,
  )
  const absent = now - unsupportedRetryDays * MICROS_PER_DAY
  const limits = [
    JSON.stringify(Object.fromEntries(cached.map(([name, at]) => [name, timestampText(at)]))),
    timestampText(absent),
    timestampText(now),
    timestampText(Math.min(absent, ...cached.map(([, at]) => at))),
  ]
  const rows = yield* warehouse.rows(sqlFile("state", "skips"), limits, ["ops.tasks"])
  const found = new Set(
    rows.map(skip).map(({ pipeline, entity, window }) => skipKey(pipeline, entity, window)),
  )
  return (pipeline: string): Skips => ({
    hasWindow: (entity, window) => found.has(skipKey(pipeline, entity, window)),
    hasPartition: (entity) => found.has(skipKey(pipeline, entity)),
  })
})

/** A vault as last stored. */
export interface StoredVault extends VaultRef {
  /** Whether it is in the lists of vaults, as far as they could be read. */
  readonly isListed: boolean
}

const storedVault = decodeRow({
  address: text("vault_address"),
  wireAddress: text("wire_address"),
  chainId: number("chain_id"),
  kind: oneOf("evm", "solana", "stellar", "other")("chain_type"),
  startedAt: optional(number)("started_at"),
  isListed: boolean("is_listed"),
})

export const storedVaults = (warehouse: Store) =>
  Effect.map(warehouse.rows(sqlFile("partitions", "vaults"), [], ["core.vaults"]), (rows) =>
    rows.map(storedVault).map(({ startedAt, wireAddress, ...vault }): StoredVault => ({
      ...vault,
      wireAddress: sendable(wireAddress),
      startedOn: startedAt === undefined ? undefined : dayOf(startedAt),
    })),
  )

/** The selected vaults; one that is no longer in any list only if the user names it. */
const vaultsToRead = (
  stored: ReadonlyArray<StoredVault>,
  filter: VaultFilter,
): ReadonlyArray<VaultRef> =>
  stored
    .filter(isSelected(filter))
    .filter(({ isListed }) => isListed || filter.include.length > 0)
    .map(({ isListed: _listed, ...vault }) => vault)

const storedBody = decodeRow({
  sha256: text("body_sha256"),
  file: text("archive_file"),
  offset: number("archive_offset"),
  length: number("archive_length"),
})

/** Where the bodies of the last run are, by SHA-256. */
export const lastBodies = (warehouse: Store) =>
  Effect.map(
    warehouse.rows(sqlFile("state", "last_bodies"), [], ["raw.responses"]),
    (rows) =>
      new Map(rows.map(storedBody).map(({ sha256, ...place }): [string, Place] => [sha256, place])),
  )

const driftKey = decodeRow({
  endpoint: text("endpoint"),
  path: text("json_path"),
  kind: text("kind"),
})

export const knownDrift = (warehouse: Store) =>
  Effect.map(warehouse.rows(sqlFile("state", "known_drift"), [], ["ops.schema_drift"]), (rows) =>
    rows.map(driftKey),
  )
