// core.allocation_history: the allocation of each EVM vault's assets by day and protocol.
import { documented, field } from "../../../domain/table/column.ts"
import type * as Result from "effect/Result"
import type { JsonObject } from "../../../domain/values/json.ts"
import type { Table } from "../../../domain/table/table.ts"
import { parseDay } from "../../../domain/values/time.ts"
import type { VaultRef } from "../../../domain/subject/vault.ts"
import type { RejectedRecord, Violation } from "../../../domain/wire/violation.ts"
import { firstSeen } from "../../fields/columnViolation.ts"
import { nonEmpty } from "../../fields/readers.ts"
import { columnReader, namesOf, outerField, valueAt } from "../../fields/wireNames.ts"
import { mapRecords } from "../../mapRecords.ts"
import { repetitionsByKey } from "../../repetitions.ts"
import { recordsIn } from "../../shapes/recordsIn.ts"
import { rejectedIn, undeclared } from "../../shapes/undeclared.ts"
import { combined, type MappedResponse, type Source } from "../../Source.ts"
import { allocationColumns, allocationShapes } from "../allocationColumns.ts"
import { envelopeRows } from "../response_envelopes.ts"
import { vaultChainId, extra, vaultAddress } from "../shared.ts"

export const allocationHistory: Table = {
  schema: "core",
  name: "allocation_history",
  mode: "history",
  grain: "vault, day and protocol",
  comment:
    "Daily allocation by protocol, with one row per protocol in each declared layout. Reading a day again replaces its set of protocols; a protocol that it no longer has moves to the versions.",
  source: "GET /platform/historical_allocations/{vault_address} (§4.1, §2.9)",
  key: ["vault_address", "chain_id", "date", "protocol"],
  mergeKey: ["vault_address", "chain_id", "date"],
  time: "date",
  // A point is an allocation, or contains those of its day.
  shapes: [
    {
      name: "a protocol with a value or a share",
      holds: "record",
      requires: [["protocol"], ["value", "share"]],
    },
    ...allocationShapes("protocol", ["allocations", "allocation", "protocols", "by_protocol"]),
  ],
  columns: [
    vaultAddress,
    vaultChainId,
    documented.date("date", "Day of the point", { names: ["date", "day"], required: true }),
    field.text("protocol", "Protocol the assets are in", {
      names: ["protocol", "protocol_name"],
      read: nonEmpty,
      required: true,
    }),
    ...allocationColumns("Value allocated to the protocol"),
    extra,
  ],
  example:
    "select date, protocol, value from core.allocation_history order by date desc, value desc limit 20",
}

// The sums of the parts of a protocol have names of their own, since the setting may give the others a scale.
const sums = { value: "sum of value", share: "sum of share" } as const

// Fields of `extra` that are from this mapping, not from the service.
const ownFields = new Set(["$.parts", "$.point"])

/** One row per day and protocol. A point without a day, or in another shape, is rejected. */
export const allocationHistoryRows = (
  body: JsonObject & { readonly points: ReadonlyArray<JsonObject> },
  source: Source<VaultRef>,
): Result.Result<MappedResponse, Violation> => {
  const { points } = body
  const names = [...namesOf(allocationHistory, "date", source), ...source.timeFields]
  const dayField = points
    .map((point) => names.find((name) => parseDay(valueAt(point, name)) !== undefined))
    .find((name) => name !== undefined)
  const vault = { vault_address: source.subject.address, chain_id: source.subject.chainId }
  const dayFields = dayField === undefined ? [] : [dayField]
  // A record that holds the day is no protocol either.
  const read = dayFields.flatMap((name) => [name, outerField(name)])
  const find = recordsIn(allocationHistory, source, read)
  const sharedOf = sharedWith(source, dayFields)
  const days: Array<number> = []
  const records: Array<JsonObject> = []
  const emptyDays = new Set<number>()
  const rejected: Array<RejectedRecord> = []
  for (const [index, point] of points.entries()) {
    const at = `$.points[${index}]`
    const day = dayField === undefined ? undefined : parseDay(valueAt(point, dayField))
    if (dayField === undefined || day === undefined) {
      const seen = dayField ?? firstSeen(point, names)?.name
      rejected.push({ ...withoutDay(point, seen, at), record: point })
      continue
    }
    const found = find(point)
    if (found === undefined) {
      const violation = undeclared(allocationHistory, point, at, source, read)
      rejected.push({ ...violation, record: point })
      continue
    }
    for (const each of rejectedIn(allocationHistory, found, at, source)) rejected.push(each)
    if (found.records.length + found.others.length === 0) emptyDays.add(day)
    const shared = found.shape.holds === "record" ? undefined : sharedOf(found.rest)
    for (const record of found.records) {
      days.push(day)
      records.push(shared === undefined ? record : { ...shared, ...record })
    }
  }
  const merged = onePerProtocol(days, records, source)
  const mapped = mapRecords({
    table: allocationHistory,
    records: merged.records,
    source,
    computed: { ...vault, date: merged.days },
    consumed: dayFields,
    fields: {
      value: [...namesOf(allocationHistory, "value", source), sums.value],
      share: [...namesOf(allocationHistory, "share", source), sums.share],
    },
  })
  const filledDays = new Set(days)
  const emptySets = [...emptyDays]
    .filter((day) => !filledDays.has(day))
    .map((date) => ({ ...vault, date }))
  return combined(
    {
      rows: {
        ...mapped.rows,
        ...(emptySets.length === 0 ? {} : { emptySets }),
        // A point without a day may belong to any day.
        ...(rejected.length === 0 ? {} : { isPartial: true }),
      },
      drift: mapped.drift.filter(({ path }) => !ownFields.has(path)),
      rejected: [...rejected, ...mapped.rejected],
    },
    envelopeRows("historical_allocations", body, ["points"], source, { isPartOfList: true }),
  )
}

/**
 * The figures of the whole day, such as a total, which become part of each allocation's `extra`: those that a column
 * would read as the allocation's own are in `point`.
 */
const sharedWith = (
  source: Source<VaultRef>,
  dayFields: ReadonlyArray<string>,
): ((point: JsonObject) => JsonObject) => {
  const columnFields = new Set(
    allocationHistory.columns.flatMap(({ name }) => namesOf(allocationHistory, name, source)),
  )
  return (point) => {
    const own = Object.entries(point).filter(([name]) => !dayFields.includes(name))
    const hidden = own.filter(([name]) => columnFields.has(name))
    const others = Object.fromEntries(own.filter(([name]) => !columnFields.has(name)))
    return hidden.length === 0 ? others : { ...others, point: Object.fromEntries(hidden) }
  }
}

const withoutDay = (point: JsonObject, name: string | undefined, at: string): Violation =>
  name === undefined
    ? {
        path: at,
        detail: `has no day; its fields are ${Object.keys(point).join(", ")}. The setting fields can name it, as \`allocation_history.date: <field>\``,
      }
    : {
        path: `${at}.${name}`,
        detail: `is not a day: ${JSON.stringify(valueAt(point, name)) ?? "missing"}`,
      }

/**
 * Sums the parts of a protocol on one day (by chain, by token) into one record, which keeps the parts for `extra`. Parts
 * that differ in nothing are one part given twice, which must not double the protocol.
 */
const onePerProtocol = (
  days: ReadonlyArray<number>,
  records: ReadonlyArray<JsonObject>,
  source: Source<VaultRef>,
): { readonly days: ReadonlyArray<number>; readonly records: ReadonlyArray<JsonObject> } => {
  const protocolOf = columnReader(allocationHistory, "protocol", source)
  const isRepetition = repetitionsByKey()
  const parts = new Map<string, { day: number; records: Array<JsonObject> }>()
  for (const [index, record] of records.entries()) {
    const day = days[index] ?? 0
    const key = `${day} ${String(protocolOf(record))}`
    if (isRepetition(key, record)) continue
    const found = parts.get(key)
    if (found === undefined) parts.set(key, { day, records: [record] })
    else found.records.push(record)
  }
  const groups = [...parts.values()]
  if (groups.length === records.length) return { days, records }
  const sumOf = sumWith(source)
  return {
    days: groups.map((group) => group.day),
    records: groups.map((group) => sumOf(group.records)),
  }
}

/** The sum of a figure; none if a part lacks it. */
const total = (
  parts: ReadonlyArray<JsonObject>,
  figureOf: (part: JsonObject) => unknown,
): number | undefined => {
  const figures = parts.map(figureOf).filter((figure) => typeof figure === "number")
  return figures.length < parts.length
    ? undefined
    : figures.reduce((sum, figure) => sum + figure, 0)
}

const sumWith = (source: Source<VaultRef>): ((parts: ReadonlyArray<JsonObject>) => JsonObject) => {
  const read = (column: string) => columnReader(allocationHistory, column, source)
  const [protocolOf, valueOf, shareOf] = [read("protocol"), read("value"), read("share")]
  return (parts) => {
    const [only = {}, ...others] = parts
    if (others.length === 0) return only
    const [value, share] = [total(parts, valueOf), total(parts, shareOf)]
    return {
      protocol: protocolOf(only),
      ...(value === undefined ? {} : { [sums.value]: value }),
      ...(share === undefined ? {} : { [sums.share]: share }),
      parts,
    }
  }
}
