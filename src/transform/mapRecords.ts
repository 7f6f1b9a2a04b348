// Maps records to the rows of a table. Columns are computed by the caller or read from the records; fields that no
// column keeps whole go to `extra`. Records that break the contract are rejected; the others become rows.
import type { Value } from "../domain/table/column.ts"
import type { Rows, Table } from "../domain/table/table.ts"
import { startOfDay } from "../domain/values/time.ts"
import { contradictions, replacedPoints } from "./contradictions.ts"
import { separateReportTimes } from "./fields/reportTimes.ts"
import { type RecordOptions, RecordReader } from "./RecordReader.ts"
import { mayLackMembers } from "../domain/wire/violation.ts"
import type { Mapped } from "./Source.ts"

/** Columns that a mapping computes: one value for all rows, or one for each row. */
export type Computed = Readonly<Record<string, Value | ReadonlyArray<Value>>>

export interface MapOptions extends RecordOptions {
  readonly computed?: Computed
  /** The columns and values that identify the set of the records (`Rows.mergeKey`). */
  readonly mergeKey?: NonNullable<Rows["mergeKey"]>
}

/** Rejected records have no rows; the other rows then count as only a part of their set, unless they have the same keys. */
export const mapRecords = (options: MapOptions): Mapped => {
  const { table, source, computed = {}, consumed = [], mergeKey } = options
  const { records, columns: reported } = separateReportTimes(
    table,
    options.records,
    consumed,
    source,
  )
  const given: Computed = { ...reported, ...computed }
  const reader = new RecordReader(options, records)
  const columns = table.columns.map((column) => {
    const value = given[column.name]
    return value === undefined ? reader.column(column) : reader.computed(column, value)
  })
  const extraAt = table.columns.findIndex(({ name }) => name === "extra")
  if (extraAt >= 0) columns[extraAt] = reader.extra()
  reader.rejectUnrelated()
  const mapped = {
    table,
    columns,
    records: options.records,
    isRejected: (row: number) => reader.isRejected(row),
    at: options.at ?? ((row: number) => `$[${row}]`),
  }
  const contradicting = contradictions(mapped)
  const rejected = [...reader.rejected, ...contradicting.values()]
  const isKept = (_: Value, row: number) => !reader.isRejected(row) && !contradicting.has(row)
  const kept = rejected.length === 0 ? columns : columns.map((values) => values.filter(isKept))
  const set = mergeKey === undefined ? {} : { mergeKey }
  const part = table.mergeKey === undefined ? {} : { isPartial: true as const }
  return {
    rows: {
      table,
      columns: kept,
      length: records.length - rejected.length,
      lineage: source.lineage,
      ...timesOf(table, kept),
      ...(mayLackMembers(rejected) ? part : set),
    },
    drift: [...reader.drift(), ...replacedPoints(mapped)],
    rejected,
  }
}

/** The event times of the rows, if the table has a time column. */
const timesOf = (table: Table, columns: Rows["columns"]): Pick<Rows, "times"> => {
  const at = table.columns.findIndex(({ name }) => name === table.time)
  const values = columns[at] as ReadonlyArray<number> | undefined
  if (values === undefined) return {}
  return { times: table.columns[at]?.type === "date" ? values.map(startOfDay) : values }
}
