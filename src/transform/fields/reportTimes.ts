// Finds report times by their names: times at which the service read or computed a record. They change with every
// response, so they must affect neither versions nor keys.
import type { Value } from "../../domain/column.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../domain/json.ts"
import type { Table } from "../../domain/table.ts"
import { parseInstant } from "../../domain/time.ts"
import { fieldWords } from "./fieldWords.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const readingWords = words(
  "cached calculated checked computed fetched generated polled queried refreshed refresh retrieved synced",
)
// The update of a figure is a report time; the update of a fee or a status is a fact.
const updateWords = words("updated update")
const figureWords = words(
  "apy apr tvl nav aum pnl price prices ratio balance balances metrics performance data snapshot record",
)
const timeWords = words("at on time timestamp datetime date utc")
const fillers = words("last latest")
const wholeNames = words(
  "reported_at reportedAt as_of asOf server_time serverTime response_time responseTime",
)

const classify = (name: string): boolean => {
  if (wholeNames.has(name)) return true
  const parts = fieldWords(name).filter((word) => !fillers.has(word))
  const others = parts.filter((word) => !timeWords.has(word))
  // `last_checked` and `checked_at` are times; `checked_by` is not, and `refresh` may be anything.
  const isTime = others.length < parts.length || parts.length < fieldWords(name).length
  const isBare = others.length === 1
  const endsAsTime = timeWords.has(parts.at(-1) ?? "")
  if (others.some((word) => readingWords.has(word))) return isTime && (isBare || endsAsTime)
  return (
    isTime &&
    others.some((word) => updateWords.has(word)) &&
    others.every((word) => updateWords.has(word) || figureWords.has(word))
  )
}

// Cached, because every record has the same names.
const cache = new Map<string, boolean>()

export const isReportTime = (name: string): boolean => {
  let isTime = cache.get(name)
  if (isTime === undefined) {
    isTime = classify(name)
    if (cache.size < 10_000) cache.set(name, isTime)
  }
  return isTime
}

/** Whether the field is a report time; other text under such a name is not. */
const holdsReportTime = (name: string, value: unknown): boolean =>
  isReportTime(name) && (value === null || parseInstant(value) !== undefined)

/** The value without report times in nested records; calls `found` with the path of each. */
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
  let isChanged = false
  const rest: Array<[name: string, value: unknown]> = []
  for (const [name, inner] of Object.entries(value)) {
    const at = `${place}.${name}`
    if (holdsReportTime(name, inner)) {
      found(at, inner)
      isChanged = true
      continue
    }
    const kept = withoutNested(inner, at, found)
    if (kept !== inner) isChanged = true
    rest.push([name, kept])
  }
  return isChanged ? Object.fromEntries(rest) : value
}

/** The record without its report times, including nested ones. */
export const withoutReportTimes = (record: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !isReportTime(name))
      .map(([name, value]) => [name, withoutNested(value, name, () => undefined)]),
  )

export interface Separated {
  /** The records without report times, if the table has columns for them. */
  readonly records: ReadonlyArray<JsonObject>
  /** The values of these columns. */
  readonly columns: Readonly<Record<string, ReadonlyArray<Value>>>
}

/**
 * Moves report times to the columns `reported_at` (the first time of the record) and `reported_times` (nested times by
 * path) of tables that have them. A change of only these columns does not make a version.
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
