// Query results as plain objects that JSON can carry without losing digits.
import {
  type DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
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

// @duckdb/node-api writes the infinities of these types as if the calendar had them.
const INFINITIES = new Map(
  [
    DuckDBDateValue,
    DuckDBTimestampSecondsValue,
    DuckDBTimestampMillisecondsValue,
    DuckDBTimestampNanosecondsValue,
  ].flatMap(({ PosInf, NegInf }) => [
    [String(PosInf), "infinity"],
    [String(NegInf), "-infinity"],
  ]),
)

/** As DuckDB writes it: there is no year 0. */
const calendarText = (text: string): string =>
  INFINITIES.get(text) ?? text.replace(/^0000(-\d\d-\d\d)/, "0001$1 (BC)")

/** As DuckDB writes them. @duckdb/node-api leaves \ as it is, so that a text of bytes could mean several. */
const bytesText = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[^ -~]|["'\\]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase()
      return `\\x${code.padStart(2, "0")}`
    })

/** Integers as numbers while exact, else digits; timestamps ISO-8601 UTC; the rest as DuckDB writes it. */
export const convert: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (value === null) return null
  if (typeof value === "bigint") {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value.toString()
  }
  switch (type.typeId) {
    case DuckDBTypeId.TIMESTAMP: {
      const { micros } = value as DuckDBTimestampValue
      return isCalendar(micros) ? formatMicros(micros) : String(value)
    }
    case DuckDBTypeId.DATE:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return calendarText(String(value))
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.GEOMETRY:
      return bytesText((value as DuckDBBlobValue).bytes)
    case DuckDBTypeId.INTERVAL:
      return String(value)
    default:
      return JsonDuckDBValueConverter(value, type, converter)
  }
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
