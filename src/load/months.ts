// Months of event time, the unit of Parquet partitions.
import type { Rows } from "../domain/table.ts"

const MILLIS_PER_DAY = 86_400_000
const MICROS_PER_MILLI = 1000

/** `YYYY-MM` of every row's event time; of a table without, nothing. */
export const monthsIn = ({ table, columns }: Rows): ReadonlySet<string> => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const isDate = table.columns[at]?.type === "date"
  const months = new Set<string>()
  // Neighbours are nearly always of one month: dates are made once a month, not once a row.
  let from = 1
  let to = 0
  for (const time of columns[at] ?? []) {
    if (typeof time !== "number") continue
    const millis = isDate ? time * MILLIS_PER_DAY : time / MICROS_PER_MILLI
    if (millis >= from && millis < to) continue
    const date = new Date(millis)
    from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    months.add(date.toISOString().slice(0, 7))
  }
  return months
}
