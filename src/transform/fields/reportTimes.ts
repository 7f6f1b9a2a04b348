// Separates report times, at which the service read or computed a record. They change with every response, so they must
// affect neither versions nor keys. Their names are declared; any other time is content.
import { spellings, type Value } from "../../domain/table/column.ts"
import { isJsonObject, type JsonObject, stableStringify } from "../../domain/values/json.ts"
import type { Table } from "../../domain/table/table.ts"
import { parseInstant } from "../../domain/values/time.ts"
import { configuredNames, type Fields } from "./settings.ts"

/** Names of report times: of a calculation (§2.3, §2.6), of a check (§2.7), and the column's own. */
export const reportTimeNames = ["reported_at", "calculated_at", "checked_at"]

const builtIn: ReadonlySet<string> = new Set(spellings(...reportTimeNames))

/** The names of a table's report times. */
export const reportTimesOf = (table: Table, source: Fields): ReadonlySet<string> => {
  const configured = configuredNames(table, "reported_at", source)
  return configured.length === 0 ? builtIn : new Set([...builtIn, ...configured])
}

/**
 * Whether the field is a report time; other content under such a name is not. `path`: its place in the record, in which the
 * elements of a list have no number.
 */
const holdsReportTime = (
  names: ReadonlySet<string>,
  name: string,
  value: unknown,
  path = name,
): boolean =>
  (names.has(name) || names.has(path)) && (value === null || parseInstant(value) !== undefined)

/** The value without report times in nested records; calls `found` with the place of each. */
const withoutNested = (
  value: unknown,
  names: ReadonlySet<string>,
  place: string,
  found: (place: string, time: unknown) => void,
  path = place,
): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      withoutNested(item, names, `${place}[${index}]`, found, path),
    )
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isJsonObject(value)) return value
  let isChanged = false
  const rest: Array<[name: string, value: unknown]> = []
  for (const [name, inner] of Object.entries(value)) {
    const at = `${place}.${name}`
    const pathOfInner = `${path}.${name}`
    if (holdsReportTime(names, name, inner, pathOfInner)) {
      found(at, inner)
      isChanged = true
      continue
    }
    const kept = withoutNested(inner, names, at, found, pathOfInner)
    if (kept !== inner) isChanged = true
    rest.push([name, kept])
  }
  return isChanged ? Object.fromEntries(rest) : value
}

/** The record without its report times, including nested ones. */
export const withoutReportTimes = (
  record: JsonObject,
  names: ReadonlySet<string> = builtIn,
): JsonObject =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name, value]) => !holdsReportTime(names, name, value))
      .map(([name, value]) => [name, withoutNested(value, names, name, () => undefined)]),
  )

/** The content of a record as text, independent of the order of its fields, without its report times. */
export const contentOf = (record: JsonObject, names?: ReadonlySet<string>): string =>
  stableStringify(withoutReportTimes(record, names))

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
  source: Fields,
): Separated => {
  const has = (column: string): boolean => table.columns.some(({ name }) => name === column)
  const names = reportTimesOf(table, source)
  const own = has("reported_at") ? records.map((each) => withoutOwn(each, names)) : undefined
  const flat = own?.map(({ record }) => record) ?? records
  const read = new Set(consumed)
  const nested = has("reported_times")
    ? flat.map((record) => withoutNestedIn(record, names, read))
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
  names: ReadonlySet<string>,
): { readonly record: JsonObject; readonly time: number | null } => {
  if (!Object.keys(record).some((name) => names.has(name))) return { record, time: null }
  const entries = Object.entries(record)
  const times = entries.filter(([name, value]) => holdsReportTime(names, name, value))
  const first = times.find(([, value]) => value !== null)?.[1]
  return {
    record: Object.fromEntries(
      entries.filter(([name, value]) => !holdsReportTime(names, name, value)),
    ),
    time: parseInstant(first) ?? null,
  }
}

const withoutNestedIn = (
  record: JsonObject,
  names: ReadonlySet<string>,
  consumed: ReadonlySet<string>,
): { readonly record: JsonObject; readonly times: string | null } => {
  const times: Record<string, unknown> = {}
  const rest = Object.entries(record).map(([name, value]) => [
    name,
    consumed.has(name)
      ? value
      : withoutNested(value, names, name, (place, time) => {
          times[place] = time
        }),
  ])
  return Object.keys(times).length === 0
    ? { record, times: null }
    : { record: Object.fromEntries(rest), times: stableStringify(times) }
}
