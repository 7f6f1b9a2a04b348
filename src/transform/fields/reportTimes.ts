// Finds times, by their names, at which the service read or computed a record. They change with every response, so they
// must make neither a new version nor another key.
import type { Value } from "../../domain/column.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../domain/json.ts"
import type { Table } from "../../domain/table.ts"
import { parseInstant } from "../../domain/time.ts"
import { fieldWords } from "./fieldWords.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const readings = words(
  "cached calculated checked computed fetched generated polled queried refreshed refresh retrieved synced",
)
// `updated` is such a time for a figure; for a fee or a status it is a fact.
const updates = words("updated update")
const figures = words(
  "apy apr tvl nav aum pnl price prices ratio balance balances metrics performance data snapshot record",
)
const timeWords = words("at on time timestamp datetime date utc")
const fillers = words("last latest")
const whole = words(
  "reported_at reportedAt as_of asOf server_time serverTime response_time responseTime",
)

const classify = (name: string): boolean => {
  if (whole.has(name)) return true
  const parts = fieldWords(name).filter((word) => !fillers.has(word))
  const others = parts.filter((word) => !timeWords.has(word))
  // `last_checked` and `checked_at` are times, `checked_by` is not, and `refresh` may be anything.
  const isTime = others.length < parts.length || parts.length < fieldWords(name).length
  const isBare = others.length === 1
  const endsAsTime = timeWords.has(parts.at(-1) ?? "")
  if (others.some((word) => readings.has(word))) return isTime && (isBare || endsAsTime)
  return (
    isTime &&
    others.some((word) => updates.has(word)) &&
    others.every((word) => updates.has(word) || figures.has(word))
  )
}

// A cache, since the same names come with every record.
const known = new Map<string, boolean>()

export const isReportTime = (name: string): boolean => {
  let is = known.get(name)
  if (is === undefined) {
    is = classify(name)
    if (known.size < 10_000) known.set(name, is)
  }
  return is
}

/** Only a time or null counts: text under such a name stays where it is. */
const holdsReportTime = (name: string, value: unknown): boolean =>
  isReportTime(name) && (value === null || parseInstant(value) !== undefined)

/** The value without such times in nested records; `found` gets each with its place. */
const withoutNested = (
  value: unknown,
  place: string,
  found: (place: string, time: unknown) => void,
): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item, index) => withoutNested(item, `${place}[${index}]`, found))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isJsonObject(value)) return value
  let isOther = false
  const rest: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    const at = `${place}.${name}`
    if (holdsReportTime(name, inner)) {
      found(at, inner)
      isOther = true
      continue
    }
    const kept = withoutNested(inner, at, found)
    if (kept !== inner) isOther = true
    rest[name] = kept
  }
  return isOther ? rest : value
}

/** The record without its report times, nested ones included. */
export const withoutReportTimes = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !isReportTime(name))
      .map(([name, value]) => [name, withoutNested(value, name, () => undefined)]),
  )

export interface Separated {
  /** Without report times, where the table has columns for them. */
  readonly records: ReadonlyArray<JsonObject>
  /** Values of these columns. */
  readonly columns: Readonly<Record<string, ReadonlyArray<Value>>>
}

/**
 * Moves report times to `reported_at` (the first of the record) and `reported_times` (nested ones, by place), in tables
 * with these columns: a change in them alone makes no version.
 */
export const separateReportTimes = (
  table: Table,
  records: ReadonlyArray<JsonObject>,
  consumed: ReadonlyArray<string>,
): Separated => {
  const has = (column: string): boolean => table.columns.some(({ name }) => name === column)
  const own = has("reported_at") ? records.map(withoutOwn) : undefined
  const flat = own?.map(({ record }) => record) ?? records
  const nested = has("reported_times")
    ? flat.map((record) => withoutNestedIn(record, consumed))
    : undefined
  return {
    records: nested?.map(({ record }) => record) ?? flat,
    columns: {
      ...(own === undefined ? {} : { reported_at: own.map(({ time }) => time) }),
      ...(nested === undefined ? {} : { reported_times: nested.map(({ times }) => times) }),
    },
  }
}

const withoutOwn = (
  record: JsonObject,
): { readonly record: JsonObject; readonly time: number | null } => {
  if (!Object.keys(record).some(isReportTime)) return { record, time: null }
  const entries = Object.entries(record)
  const times = entries.filter(([name, value]) => holdsReportTime(name, value))
  const first = times.find(([, value]) => value !== null)?.[1]
  return {
    record: Object.fromEntries(entries.filter(([name, value]) => !holdsReportTime(name, value))),
    time: parseInstant(first) ?? null,
  }
}

const withoutNestedIn = (
  record: JsonObject,
  consumed: ReadonlyArray<string>,
): { readonly record: JsonObject; readonly times: string | null } => {
  const times: Record<string, unknown> = {}
  const rest = Object.entries(record).map(([name, value]) => [
    name,
    consumed.includes(name)
      ? value
      : withoutNested(value, name, (place, time) => {
          times[place] = time
        }),
  ])
  return Object.keys(times).length === 0
    ? { record, times: null }
    : { record: Object.fromEntries(rest), times: stableStringify(times) }
}
