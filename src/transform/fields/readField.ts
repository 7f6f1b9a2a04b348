// Reads a field as the value of a column, with the column's reader or else by its type.
import type { Column, ColumnType, Reading, Value } from "../../domain/table/column.ts"
import { asAmount, stableStringify } from "../../domain/values/json.ts"
import { parseDay, parseInstant } from "../../domain/values/time.ts"
import { isExact, numberOf } from "./numbers.ts"

type Converter = (value: unknown) => Value | undefined

/** Convert a value to a column type; `undefined` if the column can't store it. */
export const converters: Record<ColumnType, Converter> = {
  text: (value) => (typeof value === "string" ? value : undefined),
  integer: (value) => {
    const number = numberOf(value)
    return Number.isSafeInteger(number) ? number : undefined
  },
  double: numberOf,
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  timestamp: parseInstant,
  date: parseDay,
  json: stableStringify,
  amount: asAmount,
}

/** The expected value of a column, for messages. */
export const expected: Record<ColumnType, string> = {
  text: "text",
  integer: "a whole number",
  double: "a number",
  boolean: "true or false",
  timestamp: "an instant: ISO-8601, an epoch, or as in HTTP headers",
  date: "a day",
  json: "JSON",
  amount: "a whole number",
}

/** Returns a bare value if the column keeps the whole field, and `undefined` if the field can't be read. */
export const readField = (
  { read, type }: Column,
  value: unknown,
  name: string,
): Value | Reading | undefined => {
  if (read !== undefined) return read(value, name)
  // The most common case in a history comes first for speed.
  if (type === "double" && typeof value === "number") return value
  const converted = converters[type](value)
  return type === "double" && typeof converted === "number" && !isExact(converted, value)
    ? { value: converted, isWhole: false }
    : converted
}

/** The value of a reading, whether it is whole or not. */
export const valueOf = (reading: Value | Reading | undefined): Value | undefined =>
  typeof reading === "object" && reading !== null ? reading.value : reading
