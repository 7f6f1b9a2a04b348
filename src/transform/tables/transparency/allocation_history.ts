// core.allocation_history: the allocation of each EVM vault's assets by day and protocol.
import { documented, field } from "../../../domain/column.ts"
import type * as Result from "effect/Result"
import { asNumber, type JsonObject } from "../../../domain/json.ts"
import type { Table } from "../../../domain/table.ts"
import { parseDay } from "../../../domain/time.ts"
import type { VaultRef } from "../../../domain/vault.ts"
import type { RejectedRecord, Violation } from "../../../domain/violation.ts"
import { allocationsOf, hasNoAllocation } from "../../fields/allocations.ts"
import { namesOf } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { vaultChainId, extra, vaultAddress } from "../shared.ts"

export const allocationHistory: Table = {
  schema: "core",
  name: "allocation_history",
  mode: "history",
  grain: "vault, day and protocol",
  comment:
    "Daily allocation by protocol, with one row per protocol in whatever layout the service sends it. Reading a day again replaces its set of protocols; a protocol that it no longer has moves to the versions.",
  source: "GET /platform/historical_allocations/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "protocol"],
  mergeKey: ["vault_address", "chain_id", "date"],
  time: "date",
  columns: [
    vaultAddress,
    vaultChainId,
    documented.date("date", "Day of the point", { names: ["date", "day"], required: true }),
    field.text("protocol", "Protocol the assets are in", { required: true }),
    field.double("value", "Value allocated to the protocol", {
      unit: "as sent; USD where the service specifies it",
    }),
    field.double("share", "Share of the vault's assets, if the service sends it", {
      unit: "as sent",
    }),
    extra,
  ],
  example:
    "select date, protocol, value from core.allocation_history order by date desc, value desc limit 20",
}

/** One row per day and protocol, for any layout of the points. A point without a day is rejected. */
export const allocationHistoryRows = (
  body: JsonObject & { readonly points: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { points } = body
  const names = [...namesOf(allocationHistory, "date", source), ...source.timeFields]
  const dayField = points
    .map((point) => names.find((name) => parseDay(point[name]) !== undefined))
    .find((name) => name !== undefined)
  const vault = { vault_address: source.subject.address, chain_id: source.subject.chainId }
  const days: Array<number> = []
  const records: Array<JsonObject> = []
  const emptyDays = new Set<number>()
  const rejected: Array<RejectedRecord> = []
  for (const [index, point] of points.entries()) {
    const day = dayField === undefined ? undefined : parseDay(point[dayField])
    if (dayField === undefined || day === undefined) {
      rejected.push({ ...withoutDay(point, dayField, `$.points[${index}]`), record: point })
      continue
    }
    const allocations = allocationsOf(point, dayField)
    if (allocations.length === 0 && hasNoAllocation(point, dayField)) emptyDays.add(day)
    for (const allocation of allocations) {
      days.push(day)
      records.push(allocation)
    }
  }
  const merged = onePerProtocol(days, records)
  const mapped = mapRecords({
    table: allocationHistory,
    records: merged.records,
    source,
    computed: { ...vault, date: merged.days },
  })
  const emptySets = [...emptyDays]
    .filter((day) => !days.includes(day))
    .map((date) => ({ ...vault, date }))
  return combined(
    {
      rows: {
        ...mapped.rows,
        ...(emptySets.length === 0 ? {} : { emptySets }),
        // A point without a day may belong to any day.
        ...(rejected.length === 0 ? {} : { isPartial: true }),
      },
      // The field `parts` is from `sumOf`, not from the service.
      drift: mapped.drift.filter(({ path }) => path !== "$.parts"),
      rejected: [...rejected, ...mapped.rejected],
    },
    envelopeRows("historical_allocations", body, ["points"], source),
  )
}

const withoutDay = (point: JsonObject, name: string | undefined, at: string): Violation =>
  name === undefined
    ? {
        path: at,
        detail: `has no day; its fields are ${Object.keys(point).join(", ")}. The setting fields can name it, as \`allocation_history.date: <field>\``,
      }
    : {
        path: `${at}.${name}`,
        detail: `is not a day: ${JSON.stringify(point[name]) ?? "missing"}`,
      }

/** Sums the parts of a protocol on one day (by chain, by token) into one record, which keeps the parts for `extra`. */
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
  const total = (name: string) => {
    const values = parts.map((part) => asNumber(part[name])).filter((value) => value !== undefined)
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
  }
  return { protocol: only["protocol"], value: total("value"), share: total("share"), parts }
}
