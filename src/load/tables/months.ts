// Months of event time, written YYYY-MM, `-` in a table without one: the parts of a table that are published again if
// they changed. In SQL a month is its first day, NULL in a table without event time.
import { MICROS_PER_MILLI, MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { identifier } from "../sql/sql.ts"
import type { Rows } from "../../domain/table/table.ts"

const NO_MONTH = "-"

/** The months of rows. */
export const monthsIn = ({
  table,
  columns,
}: Pick<Rows, "table" | "columns">): ReadonlySet<string> => {
  if (table.time === undefined) return new Set((columns[0] ?? []).length === 0 ? [] : [NO_MONTH])
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const isDate = table.columns[at]?.type === "date"
  const months = new Set<string>()
  // Consecutive rows are nearly always of one month, so a date is made for each month, not for each row.
  let from = 1
  let to = 0
  for (const time of columns[at] ?? []) {
    if (typeof time !== "number") continue
    const millis = isDate ? time * MILLIS_PER_DAY : Math.floor(time / MICROS_PER_MILLI)
    if (millis >= from && millis < to) continue
    const date = new Date(millis)
    from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
    to = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    months.add(date.toISOString().slice(0, 7))
  }
  return months
}

/** First and last month. */
export type Range = readonly [from: string, to: string]

export const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  // Not by a Date, which writes the year after 9999 with a sign.
  return number === 12
    ? `${year + 1}-01`
    : `${month.slice(0, 5)}${String(number + 1).padStart(2, "0")}`
}

/** Joins adjacent months into ranges, in order. */
export const rangesOf = (months: Iterable<string>): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  for (const month of [...months].toSorted()) {
    const [from, to] = ranges.at(-1) ?? []
    if (from !== undefined && to !== undefined && monthAfter(to) === month) {
      ranges.splice(-1, 1, [from, month])
    } else {
      ranges.push([month, month])
    }
  }
  return ranges
}

/** What may have a column with an event time. */
interface Timed {
  readonly time?: string | undefined
}

/** SQL for the month of a row. */
export const monthOf = ({ time }: Timed, alias: string): string =>
  time === undefined ? "NULL::DATE" : `date_trunc('month', ${alias}.${identifier(time)})::DATE`

/** SQL for a month as text. */
export const monthName = (month: string): string =>
  `coalesce(strftime(${month}, '%Y-%m'), '${NO_MONTH}')`

/** SQL that selects the months of stored rows as `month`. */
export const selectMonths = (table: Timed, source: string): string =>
  `SELECT DISTINCT ${monthName(monthOf(table, "t"))} AS month FROM ${source} t`

/** SQL for the rows whose event time is in one of the months; dates that DuckDB can prune with. */
export const isBetween = (time: string, [from, to]: Range): string =>
  `${time} >= DATE '${from}-01' AND ${time} < DATE '${monthAfter(to)}-01'`
