// Puts the values of parameters into the text of a query, so that what a page shows can be opened, downloaded and copied as
// one query. What readers may run is decided afterwards, about the text that results.
import { formatDay, formatMicros } from "../../domain/values/time.ts"
import type { QueryParameter, QueryParameters } from "../../domain/values/queryParameter.ts"
import { sqlParts } from "../../domain/values/sqlParts.ts"
import { literal } from "../../domain/values/sqlText.ts"

/** As a number that is bound: one with a fraction is a DOUBLE, which without an exponent DuckDB reads as DECIMAL. */
const numberOf = (value: number): string => {
  const text = Number.isInteger(value) || /e/.test(String(value)) ? String(value) : `${value}e0`
  // `10-$n` must not become a comment.
  return value < 0 ? `(${text})` : text
}

const writtenOf = (value: QueryParameter): string => {
  if (value === null) return "null"
  if (typeof value === "string") return literal(value)
  if (typeof value === "number") return numberOf(value)
  if (typeof value === "boolean") return String(value)
  return "day" in value
    ? `date ${literal(formatDay(value.day))}`
    : `timestamp ${literal(formatMicros(value.micros).replace("Z", ""))}`
}

/**
 * The text of `filledSql`, piece by piece: each part of the query, or the value in its place. Text in quotes and comments stays as
 * it is.
 */
export function* filledParts(sql: string, given: QueryParameters): Generator<string> {
  // Without what objects inherit: a query may ask for $constructor.
  const values = new Map(Object.entries(given))
  for (const { text, name = "" } of sqlParts(sql)) {
    const value = values.get(name)
    yield value === undefined ? text : writtenOf(value)
  }
}

/** The query with the given values in the place of `$name` and `getvariable('name')`; the others stay. */
export const filledSql = (sql: string, given: QueryParameters): string =>
  [...filledParts(sql, given)].join("")
