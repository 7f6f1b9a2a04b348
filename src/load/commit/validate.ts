// Checks rows before they are queued, so that an invalid one fails its own batch with a clear error and not the group
// it would have been committed with.
import type { Batch } from "../../domain/run/outcome.ts"
import type { Column, ColumnType, Value } from "../../domain/table/column.ts"
import { type Rows, tableName } from "../../domain/table/table.ts"
import { LoadError } from "../errors.ts"

const isText = (value: Value): boolean => typeof value === "string"

/** Half of a surrogate pair, which `JSON.stringify` escapes and DuckDB's JSON functions refuse. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/** Rows are appended without a cast, so DuckDB does not check JSON. */
const isJson = (text: string): boolean => {
  if (loneSurrogate.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const holds: Record<ColumnType, (value: Value) => boolean> = {
  text: isText,
  json: (value) => typeof value === "string" && isJson(value),
  amount: (value) => typeof value === "string" && /^-?\d+$/.test(value),
  integer: Number.isSafeInteger,
  timestamp: Number.isSafeInteger,
  // Within the days DuckDB's DATE can hold.
  date: (value) => Number.isSafeInteger(value) && Math.abs(value as number) < 2 ** 31 - 2,
  double: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
}

/** The first row whose value the column can't hold, or -1. */
const firstOffender = (column: Column, values: ReadonlyArray<Value>): number => {
  const fits = holds[column.type]
  const required = column.required === true
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value === null ? required : value === undefined || !fits(value)) return row
  }
  return -1
}

const keyOf = (rows: Rows, row: number): string =>
  rows.table.key
    .map((name) => {
      const at = rows.table.columns.findIndex((column) => column.name === name)
      return `${name} = ${JSON.stringify(rows.columns[at]?.[row] ?? null)}`
    })
    .join(", ")

const invalid = (what: string, why: string): LoadError =>
  new LoadError({
    reason: "InvalidRow",
    what,
    why,
    advice: "Nothing from this batch was kept; this is a fault of the mapping that made the row.",
  })

const checkRows = (rows: Rows, tables: ReadonlySet<string>): LoadError | undefined => {
  const name = tableName(rows.table)
  if (!tables.has(name)) return invalid(name, "the warehouse was opened without this table")
  if (rows.columns.length !== rows.table.columns.length) {
    const { length } = rows.table.columns
    return invalid(name, `${rows.columns.length} columns were given, the table has ${length}`)
  }
  for (const [at, column] of rows.table.columns.entries()) {
    const values = rows.columns[at] ?? []
    const where = `${name}.${column.name}`
    if (values.length !== rows.length) {
      return invalid(where, `${values.length} values were given for ${rows.length} rows`)
    }
    const row = firstOffender(column, values)
    if (row >= 0) {
      const value = values[row]
      const why =
        value === null || value === undefined
          ? "a required value is missing"
          : `${typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : String(value)} is no ${column.type}`
      return invalid(where, `${why} (row ${row}: ${keyOf(rows, row)})`)
    }
  }
  return undefined
}

/** Why the batch can't be stored in `tables` (names as `schema.table`), or `undefined` when it can. */
export const checkBatch = (batch: Batch, tables: ReadonlySet<string>): LoadError | undefined => {
  for (const rows of [...batch.rows, ...batch.bookkeeping]) {
    const error = checkRows(rows, tables)
    if (error !== undefined) return error
  }
  return undefined
}
