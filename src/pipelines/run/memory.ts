// What earlier runs left for this one: cursors, open gaps, vaults, and what need not be asked again yet.
import * as Effect from "effect/Effect"
import { type AddressKind, sendable } from "../../domain/address.ts"
import { dayOf, formatInstant, MICROS_PER_DAY } from "../../domain/time.ts"
import type { VaultRef } from "../../domain/vault.ts"
import type { Warehouse } from "../../load/Warehouse.ts"
import type { Place } from "../../extract/ResponseArchive.ts"
import { holesOf } from "../walks/holes.ts"
import type { AnyPipeline, Lookup, Memory, RunContext, Target } from "../Pipeline.ts"
import { chosen, type SyncOptions, type VaultFilter } from "./selection.ts"

type Store = Warehouse["Service"]

interface Range {
  readonly fromAt: number
  readonly toAt: number
}

/** A target and what is remembered of it. */
export interface Asked {
  readonly target: Target<unknown>
  readonly memory: Memory
}

export type Selection = Pick<SyncOptions, "vaults" | "unsupportedRetryDays">

const MICROS_PER_SECOND = 1_000_000

const timestampText = (micros: number): string => formatInstant(micros).replace("Z", "")

/** Whom the pipeline asks about in this run, now that those before it have landed. */
export const askedBy = Effect.fnUntraced(function* (
  warehouse: Store,
  pipeline: AnyPipeline,
  context: RunContext,
  options: Selection,
) {
  const targets = yield* pipeline.targets(yield* lookupOf(warehouse, context, options))
  const cursors = yield* warehouse.cursors(pipeline.name)
  const gaps = yield* openGaps(warehouse, pipeline.name)
  const holesIn = context.fillGaps ? yield* holesOf(warehouse, pipeline.name) : undefined
  const settled =
    context.full || pipeline.remembersItself === true
      ? nothingSettled
      : yield* needNotBeAsked(warehouse, pipeline, context.now, options)
  return askableFirst(targets)
    .filter((target) => {
      if (target.unaskable !== undefined) return !settled.isWhole(target.entity)
      const windows = pipeline.windows?.(target, context)
      return windows === undefined
        ? !settled.isWhole(target.entity)
        : windows.some((window) => !settled.isOne(target.entity, window))
    })
    .map((target): Asked => {
      const holes = target.vault === undefined ? undefined : holesIn?.(target.vault)
      return {
        target,
        memory: {
          entity: target.entity,
          cursor: (name) => cursors.get(name),
          openGaps: gaps.get(target.entity) ?? [],
          isSettled: (window) => settled.isOne(target.entity, window),
          ...(holes === undefined ? {} : { holes }),
        },
      }
    })
})

/** What the first answer tells about the key is to be told by one that is asked. */
const askableFirst = (targets: ReadonlyArray<Target<unknown>>): ReadonlyArray<Target<unknown>> => [
  ...targets.filter(({ unaskable }) => unaskable === undefined),
  ...targets.filter(({ unaskable }) => unaskable !== undefined),
]

const lookupOf = Effect.fnUntraced(function* (
  warehouse: Store,
  context: RunContext,
  { vaults, unsupportedRetryDays }: Selection,
) {
  const lookup: Lookup = {
    rows: warehouse.rows,
    vaults: vaultsToAsk(yield* storedVaults(warehouse), vaults),
    isSelection: vaults.include.length > 0,
    absentSince: context.now - unsupportedRetryDays * MICROS_PER_DAY,
    context,
  }
  return lookup
})

const openGaps = Effect.fnUntraced(function* (warehouse: Store, pipeline: string) {
  const gaps = new Map<string, Array<Range>>()
  for (const row of yield* warehouse.rows(
    `select entity, epoch_us(from_at)::double as from_at, epoch_us(to_at)::double as to_at
     from ops.gaps where pipeline = $1 and state = 'open' order by from_at`,
    [pipeline],
  )) {
    const entity = String(row["entity"])
    const ranges = gaps.get(entity) ?? []
    ranges.push({ fromAt: Number(row["from_at"]), toAt: Number(row["to_at"]) })
    gaps.set(entity, ranges)
  }
  return gaps
})

interface Settled {
  /** A question about an entity. */
  readonly isOne: (entity: string, window: string) => boolean
  /** An entity, by all that was last asked about it. */
  readonly isWhole: (entity: string) => boolean
}

const nothingSettled: Settled = { isOne: () => false, isWhole: () => false }

/**
 * What the service lately said that it has nothing to say of (§7), and what it would answer again from its cache
 * (§8): by the newest task of a question, and of an entity by the tasks of the newest run that asked about it. A task
 * later than `now` was recorded with the clock ahead: nobody knows how long ago, so that it settles nothing.
 */
const needNotBeAsked = Effect.fnUntraced(function* (
  warehouse: Store,
  { name, endpoint }: AnyPipeline,
  now: number,
  { unsupportedRetryDays }: Selection,
) {
  const cached = now - (endpoint.serverCacheSeconds ?? 0) * MICROS_PER_SECOND
  const absent = now - unsupportedRetryDays * MICROS_PER_DAY
  const rows = yield* warehouse.rows(
    `with recent as (
       select entity, "window", finished_at,
         max_by(run_id, finished_at) over (partition by entity) = run_id as is_last_run,
         finished_at <= $4::timestamp and case
           when outcome = 'unsupported' or (outcome = 'empty' and error_tag is not null)
             then finished_at > $3::timestamp
           else outcome in ('loaded', 'unchanged', 'empty', 'suspicious_empty') and finished_at > $2::timestamp
         end as is_settled
       from ops.tasks
       where pipeline = $1 and finished_at > least($2::timestamp, $3::timestamp)
     ),
     questions as (
       select entity, "window", arg_max(is_settled, finished_at) as is_settled from recent group by all
     )
     select entity, "window" from questions where is_settled
     union all
     select entity, null from recent where is_last_run group by entity having bool_and(is_settled)`,
    [name, timestampText(cached), timestampText(absent), timestampText(now)],
  )
  const questions = new Set<string>()
  const entities = new Set<string>()
  for (const { entity, window } of rows) {
    if (window === null) entities.add(String(entity))
    else questions.add(questionKey(String(entity), String(window)))
  }
  return {
    isOne: (entity, window) => questions.has(questionKey(entity, window)),
    isWhole: (entity) => entities.has(entity),
  } satisfies Settled
})

const questionKey = (entity: string, window: string): string => JSON.stringify([entity, window])

/** A vault as it was described last. */
export interface StoredVault extends VaultRef {
  /** Whether it is in the lists of vaults, as far as they could be read. */
  readonly isListed: boolean
}

/** Vaults of earlier runs too, so that they are read on when the service's list fails. */
export const storedVaults = Effect.fnUntraced(function* (warehouse: Store) {
  const rows = yield* warehouse.rows(
    `select chain_id, vault_address, vault_address_as_served, chain_type, is_current,
            epoch_us(started_at)::double as started_at
     from core.vaults where chain_type <> 'other'
     qualify row_number() over (partition by chain_id, vault_address order by valid_from desc) = 1
     order by chain_id, vault_address`,
    [],
  )
  return rows.map((row): StoredVault => ({
    address: String(row["vault_address"]),
    served: sendable(String(row["vault_address_as_served"])),
    chainId: Number(row["chain_id"]),
    kind: row["chain_type"] as AddressKind,
    startedOn: row["started_at"] === null ? undefined : dayOf(Number(row["started_at"])),
    isListed: row["is_current"] === true,
  }))
})

/** Those asked for; one that is in no list any more only where it is named. */
export const vaultsToAsk = (
  stored: ReadonlyArray<StoredVault>,
  filter: VaultFilter,
): ReadonlyArray<VaultRef> =>
  stored
    .filter(chosen(filter))
    .filter(({ isListed }) => isListed || filter.include.length > 0)
    .map(({ isListed: _listed, ...vault }) => vault)

/** Where the bodies of the last run lie, by SHA-256. */
export const lastBodies = Effect.fnUntraced(function* (warehouse: Store) {
  const rows = yield* warehouse.rows(
    `select body_sha256, archive_file, archive_offset, archive_length from raw.responses
     where run_id = (select max(run_id) from raw.responses where endpoint <> 'swap')`,
    [],
  )
  return new Map(
    rows.map((row): [string, Place] => [
      String(row["body_sha256"]),
      {
        file: String(row["archive_file"]),
        offset: Number(row["archive_offset"]),
        length: Number(row["archive_length"]),
      },
    ]),
  )
})

/** Fields earlier runs have told about. */
export const knownDrift = Effect.fnUntraced(function* (warehouse: Store) {
  const rows = yield* warehouse.rows("select endpoint, json_path, kind from ops.schema_drift")
  return rows.map((row) => ({
    endpoint: String(row["endpoint"]),
    path: String(row["json_path"]),
    kind: String(row["kind"]),
  }))
})
