// Query results as plain objects that JSON can carry without losing digits.
import {
  type DuckDBConnection,
  type DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from "@duckdb/node-api"
import { formatMicros } from "../../domain/values/time.ts"

export type Parameter = string | number | boolean | null

/** Text, number, boolean, null, or lists and structs of them. */
export type Row = Readonly<Record<string, Json>>

// JavaScript has no later dates; `infinity` is one of those.
const LAST_MICROS = 8_640_000_000_000_000_000n

const isCalendar = (micros: bigint): boolean => micros <= LAST_MICROS && micros >= -LAST_MICROS

/** Integers as numbers while exact, else digits; timestamps ISO-8601 UTC; dates `YYYY-MM-DD`. */
export const convert: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (typeof value === "bigint") {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  if (type.typeId === DuckDBTypeId.TIMESTAMP && value !== null) {
    const { micros } = value as DuckDBTimestampValue
    return isCalendar(micros) ? formatMicros(micros) : String(value)
  }
  if (type.typeId === DuckDBTypeId.INTERVAL && value !== null) return String(value)
  return JsonDuckDBValueConverter(value, type, converter)
}

export const readRows = async (
  connection: DuckDBConnection,
  sql: string,
  parameters: ReadonlyArray<Parameter> = [],
): Promise<ReadonlyArray<Row>> => {
  const values = parameters.length === 0 ? undefined : [...parameters]
  const reader = await connection.runAndReadAll(sql, values)
  return reader.convertRowObjects(convert) as ReadonlyArray<Row>
}
