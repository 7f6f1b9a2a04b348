// Rows of how things stand: `mapRecords`, with the times of the reading gathered in `reported_at` and
// `reported_times`, where a change in them alone makes no version.
import type { JsonObject } from "../domain/json.ts"
import { type Mapped, type MapOptions, mapRecords } from "./mapRecords.ts"
import { holdsReportTime, isReportTime, withoutNestedReportTimes } from "./fields/reportTimes.ts"

/** For tables with these columns; of others the records are mapped as they are. */
export const mapCurrent = (options: MapOptions): Mapped => {
  const { table, records, consumed } = options
  const has = (column: string): boolean => table.columns.some(({ name }) => name === column)
  const taken = new Set(table.columns.flatMap(({ fields }) => fields ?? []))
  // What the mapping has read itself is none of this table.
  const elsewhere = new Set(consumed?.filter((name) => !taken.has(name)))
  const own = has("reported_at") ? records.map(gathered) : records
  return mapRecords({
    ...options,
    records: has("reported_times") ? own.map((record) => lifted(record, elsewhere)) : own,
  })
}

const gathered = (record: JsonObject): JsonObject => {
  if (!Object.keys(record).some(isReportTime)) return record
  const entries = Object.entries(record)
  const times = entries.filter(([name, value]) => holdsReportTime(name, value))
  const told = times.find(([, value]) => value !== null)?.[1]
  return {
    ...Object.fromEntries(entries.filter(([name, value]) => !holdsReportTime(name, value))),
    ...(told === undefined ? {} : { reported_at: told }),
  }
}

/** Times inside what the record's fields hold, by their place: `oracle.last_updated`. */
const lifted = (record: JsonObject, elsewhere: ReadonlySet<string>): JsonObject => {
  const times: Record<string, unknown> = {}
  const rest = Object.entries(record).map(([name, value]) => [
    name,
    elsewhere.has(name)
      ? value
      : withoutNestedReportTimes(value, name, (place, time) => {
          times[place] = time
        }),
  ])
  return Object.keys(times).length === 0
    ? record
    : { ...Object.fromEntries(rest), reported_times: times }
}
