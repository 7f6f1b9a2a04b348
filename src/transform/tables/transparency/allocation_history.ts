// core.allocation_history: where each EVM vault's assets were, by day and protocol.
import * as Result from "effect/Result"
import { asNumber, type JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { Violation } from "../../../domain/violation.ts"
import { allocationsOf, tellsNone } from "../../fields/allocations.ts"
import { mapRecords } from "../../mapRecords.ts"
import { type MappedAnswer, type Source, together } from "../../Source.ts"
import { chainId, extra, vaultAddress } from "../shared.ts"

export const allocationHistory: Table = {
  schema: "core",
  name: "allocation_history",
  mode: "history",
  grain: "vault, day and protocol",
  comment:
    "Daily allocation by protocol. Points served long or wide become one row per protocol. A day read again has the protocols it then had; one it no longer has is in the versions.",
  source: "GET /platform/historical_allocations/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "protocol"],
  setKey: ["vault_address", "chain_id", "date"],
  time: "date",
  columns: [
    vaultAddress,
    { ...chainId, required: true },
    { name: "date", type: "date", unit: "UTC day", required: true, comment: "Day of the point" },
    {
      name: "protocol",
      type: "text",
      required: true,
      fields: ["protocol"],
      comment: "Protocol the assets are in",
    },
    {
      name: "value",
      type: "double",
      unit: "as served; USD where the service says so",
      fields: ["value"],
      comment: "Value allocated to the protocol",
    },
    {
      name: "share",
      type: "double",
      fields: ["share"],
      unit: "as served",
      comment: "Share of the vault's assets, where the service gives one",
    },
    extra,
  ],
  example:
    "select date, protocol, value from core.allocation_history order by date desc, value desc limit 20",
}

/** One row per day and protocol, whichever way the points are laid out. */
export const allocationHistoryRows = (
  points: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): Result.Result<MappedAnswer, Violation> => {
  const [first] = points
  if (first === undefined) return Result.succeed(mapped([], [], [], source))
  const dayField = ["date", "day", ...source.timeFields].find(
    (name) => parseDay(first[name]) !== undefined,
  )
  if (dayField === undefined) {
    return Result.fail({
      path: "$.points[0].date",
      detail: `is no day; the point's fields are ${Object.keys(first).join(", ")}`,
    })
  }
  const days: Array<number> = []
  const records: Array<JsonObject> = []
  const daysOfNone = new Set<number>()
  for (const [index, point] of points.entries()) {
    const day = parseDay(point[dayField])
    if (day === undefined) {
      return Result.fail({
        path: `$.points[${index}].${dayField}`,
        detail: `is no day: ${JSON.stringify(point[dayField]) ?? "missing"}`,
      })
    }
    if (tellsNone(point, dayField)) daysOfNone.add(day)
    for (const allocation of allocationsOf(point, dayField)) {
      days.push(day)
      records.push(allocation)
    }
  }
  const merged = onePerProtocol(days, records)
  const empty = [...daysOfNone].filter((day) => !days.includes(day))
  return Result.succeed(mapped(merged.days, merged.records, empty, source))
}

const mapped = (
  days: ReadonlyArray<number>,
  records: ReadonlyArray<JsonObject>,
  emptyDays: ReadonlyArray<number>,
  source: Source<VaultRef>,
): MappedAnswer => {
  const vault = { vault_address: source.subject.address, chain_id: source.subject.chainId }
  const { rows, drift } = mapRecords({
    table: allocationHistory,
    records,
    origin: source.origin,
    computed: { ...vault, date: days },
  })
  const emptySets = emptyDays.map((date) => ({ ...vault, date }))
  return together({
    rows: emptySets.length === 0 ? rows : { ...rows, emptySets },
    // `parts` is ours (sumOf), not a field of the service's.
    drift: drift.filter(({ path }) => path !== "$.parts"),
  })
}

/** A protocol served in parts on one day (by chain, by token) is one row: its sum, the parts in `extra`. */
const onePerProtocol = (
  days: ReadonlyArray<number>,
  records: ReadonlyArray<JsonObject>,
): { readonly days: ReadonlyArray<number>; readonly records: ReadonlyArray<JsonObject> } => {
  const parts = new Map<string, { day: number; records: Array<JsonObject> }>()
  for (const [index, record] of records.entries()) {
    const day = days[index] ?? 0
    const key = `${day} ${String(record["protocol"])}`
    const found = parts.get(key)
    if (found === undefined) parts.set(key, { day, records: [record] })
    else found.records.push(record)
  }
  const groups = [...parts.values()]
  return {
    days: groups.map((group) => group.day),
    records: groups.map((group) => sumOf(group.records)),
  }
}

const sumOf = (parts: ReadonlyArray<JsonObject>): JsonObject => {
  const [only, ...others] = parts
  if (only === undefined || others.length === 0) return only ?? {}
  const total = (field: string) => {
    const values = parts.map((part) => asNumber(part[field])).filter((value) => value !== undefined)
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
  }
  return { protocol: only["protocol"], value: total("value"), share: total("share"), parts }
}
