// Puts the values of parameters into the text of a query, so that what a page shows can be opened, downloaded and copied as
// one query. What readers may run is decided afterwards, about the text that results.
import { formatDay, formatInstant } from "../../domain/values/time.ts"
import type { QueryParameter, QueryParameters } from "../../domain/values/queryParameter.ts"

const textOf = (text: string): string => `'${text.replaceAll("'", "''")}'`

const literal = (value: QueryParameter): string => {
  if (value === null) return "null"
  if (typeof value === "string") return textOf(value)
  if (typeof value !== "object") return String(value)
  return "day" in value
    ? `date ${textOf(formatDay(value.day))}`
    : `timestamp ${textOf(formatInstant(value.micros).replace("Z", ""))}`
}

// Text in quotes and comments stays as it is.
const PARTS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\bgetvariable\('(?<variable>\w+)'\)|\$(?<parameter>[A-Za-z_]\w*)/g

/** The query with the given values in the place of `$name` and `getvariable('name')`; the others stay. */
export const filledSql = (sql: string, given: QueryParameters): string =>
  sql.replaceAll(PARTS, (part: string, ...rest: ReadonlyArray<unknown>) => {
    const groups = rest.at(-1) as { readonly variable?: string; readonly parameter?: string }
    const name = groups.variable ?? groups.parameter
    const value = name === undefined ? undefined : given[name]
    return value === undefined ? part : literal(value)
  })
