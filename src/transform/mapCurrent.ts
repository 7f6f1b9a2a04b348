// Rows of how things stand: `mapRecords`, with the times of the reading gathered in `reported_at`, where a
// change in them alone makes no version.
import type { JsonObject } from "../domain/json.ts"
import { parseInstant } from "../domain/time.ts"
import { type Mapped, type MapOptions, mapRecords } from "./mapRecords.ts"
import { isReportTime } from "./reportTimes.ts"

/** For tables with the column `reportedAt`; of others the records are mapped as they are. */
export const mapCurrent = (options: MapOptions): Mapped =>
  options.table.columns.some(({ name }) => name === "reported_at")
    ? mapRecords({ ...options, records: options.records.map(gathered) })
    : mapRecords(options)

/** Only what is a time, or nothing at all: a text under such a name stays where it was. */
const isGathered = (name: string, value: unknown): boolean =>
  isReportTime(name) && (value === null || parseInstant(value) !== undefined)

const gathered = (record: JsonObject): JsonObject => {
  if (!Object.keys(record).some(isReportTime)) return record
  const entries = Object.entries(record)
  const times = entries.filter(([name, value]) => isGathered(name, value))
  const told = times.find(([, value]) => value !== null)?.[1]
  return {
    ...Object.fromEntries(entries.filter(([name, value]) => !isGathered(name, value))),
    ...(told === undefined ? {} : { reported_at: told }),
  }
}
