// Values of `$name` in a question, typed so that DuckDB need not guess.
import { type DuckDBValue, DuckDBDateValue, DuckDBTimestampValue } from "@duckdb/node-api"

/** Days and microseconds since 1970-01-01 UTC, as in rows. Text fits any column it can be read as. */
export type QueryParameter =
  | string
  | number
  | boolean
  | null
  | { readonly day: number }
  | { readonly micros: number }

export const bound = (
  parameters: Readonly<Record<string, QueryParameter>> | undefined,
): Record<string, DuckDBValue> | undefined => {
  if (parameters === undefined || Object.keys(parameters).length === 0) return undefined
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, of(value)]))
}

const of = (value: QueryParameter): DuckDBValue => {
  if (value === null || typeof value !== "object") return value
  return "day" in value
    ? new DuckDBDateValue(value.day)
    : new DuckDBTimestampValue(BigInt(value.micros))
}
