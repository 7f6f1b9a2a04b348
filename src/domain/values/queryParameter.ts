// Values given to a query: for `$name`, and for getvariable('name'), with which a query can have its own defaults and
// run in any DuckDB client.
import { sqlParts } from "./sqlParts.ts"

/** Days and microseconds since 1970-01-01 UTC, as in rows. Text fits any type that it can be read as. */
export type QueryParameter =
  | string
  | number
  | boolean
  | null
  | { readonly day: number }
  | { readonly micros: number }

/** Values by name. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>

/** Names the SQL reads with getvariable. */
export const variablesIn = (sql: string): ReadonlySet<string> =>
  new Set([...sql.matchAll(/\bgetvariable\('(\w+)'\)/g)].map(([, name = ""]) => name))

/** Names the SQL has as $name or with getvariable, in no comment, but also inside quotes: DuckDB then reports the error. */
export const parameterNames = (sql: string): ReadonlySet<string> => {
  const code = [...sqlParts(sql)]
    .map(({ kind, text }) => (kind === "comment" ? " " : text))
    .join("")
  const bound = [...code.matchAll(/\$(\w+)/g)].map(([, name = ""]) => name)
  return new Set([...bound, ...variablesIn(code)])
}

/** Those of the given values that the SQL uses. */
export const parametersIn = (sql: string, given: QueryParameters): QueryParameters => {
  const names = parameterNames(sql)
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
}
