// The values of a column that need no look at single records, as in a history.
import type { Column, Value } from "../domain/table/column.ts"
import type { JsonObject } from "../domain/values/json.ts"
import { converters } from "./fields/readField.ts"

// Twice as fast as Array.from(…).fill(…).
export const repeated = (length: number, value: Value): ReadonlyArray<Value> => {
  const values: Array<Value> = []
  for (let row = 0; row < length; row++) values.push(value)
  return values
}

/**
 * The values of a field that every record has and the column keeps whole, as in a history. Returns `undefined` for any
 * other field: its records must be read separately, which takes four times as long.
 */
export const plainValues = (
  { type, read }: Column,
  name: string,
  records: ReadonlyArray<JsonObject>,
): ReadonlyArray<Value> | undefined => {
  if (read !== undefined) return undefined
  const convert = type === "double" ? finite : converters[type]
  const values: Array<Value> = []
  for (const record of records) {
    const value = record[name]
    const converted = value === undefined || value === null ? undefined : convert(value)
    if (converted === undefined) return undefined
    values.push(converted)
  }
  return values
}

const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined
