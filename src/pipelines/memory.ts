// What earlier runs left for this one: cursors, open gaps, vaults, and what was not supported.
import * as Effect from "effect/Effect"
import type { AddressKind } from "../domain/address.ts"
import { dayOf, formatInstant, MICROS_PER_DAY } from "../domain/time.ts"
import type { VaultRef } from "../domain/vault.ts"
import type { Warehouse } from "../load/Warehouse.ts"
import type { Memory } from "./Pipeline.ts"

type Store = Warehouse["Service"]

interface Range {
  readonly fromAt: number
  readonly toAt: number
}

/** Everything remembered of one pipeline, by entity. */
export interface Memories {
  /** Whether the service lately said that it does not offer this for the entity. */
  readonly isUnsupported: (entity: string) => boolean
  readonly of: (entity: string) => Memory
}

export const rememberedBy = Effect.fnUntraced(function* (
  warehouse: Store,
  pipeline: string,
  now: number,
  { unsupportedRetryDays }: { readonly unsupportedRetryDays: number },
) {
  const cursors = yield* warehouse.cursors(pipeline)
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
  const since = formatInstant(now - unsupportedRetryDays * MICROS_PER_DAY)
  const unsupported = new Set(
    (yield* warehouse.rows(
      `select distinct entity from ops.tasks
       where pipeline = $1 and outcome = 'unsupported' and finished_at > $2::timestamp`,
      [pipeline, since.replace("Z", "")],
    )).map((row) => String(row["entity"])),
  )
  const memories: Memories = {
    isUnsupported: (entity) => unsupported.has(entity),
    of: (entity) => ({
      entity,
      cursor: (name) => cursors.get(name),
      openGaps: gaps.get(entity) ?? [],
    }),
  }
  return memories
})

/** Vaults of earlier runs: read on even when the service no longer lists them, or its list fails. */
export const storedVaults = Effect.fnUntraced(function* (warehouse: Store) {
  const rows = yield* warehouse.rows(
    `select chain_id, vault_address, vault_address_as_served, chain_type,
            epoch_us(started_at)::double as started_at
     from core.vaults where is_current and chain_type <> 'other'`,
    [],
  )
  return rows.map((row): VaultRef => ({
    address: String(row["vault_address"]),
    served: String(row["vault_address_as_served"]),
    chainId: Number(row["chain_id"]),
    kind: row["chain_type"] as AddressKind,
    startedOn: row["started_at"] === null ? undefined : dayOf(Number(row["started_at"])),
  }))
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
