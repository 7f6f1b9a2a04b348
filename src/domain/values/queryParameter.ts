// Values given to a query: for `$name`, and for getvariable('name'), with which a query can have its own defaults and
// run in any DuckDB client.
import { type SqlPart, sqlParts } from "./sqlParts.ts"

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

/** The names that the SQL has as `$name`, and those it reads with getvariable, in no comment or quotes; one may be both. */
export const namesIn = (sql: string) => {
  const named = [...sqlParts(sql)].filter(({ name }) => name !== undefined)
  const ofKind = (wanted: SqlPart["kind"]): ReadonlySet<string> =>
    new Set(named.flatMap(({ kind, name = "" }) => (kind === wanted ? [name] : [])))
  return { bound: ofKind("parameter"), variables: ofKind("variable") }
}

/** The first of the names for which the SQL takes no value, what is wrong with it, and which names the SQL has. */
export const unusedName = (sql: string, given: Iterable<string>) => {
  const names = parameterNames(sql)
  for (const name of given) {
    if (names.has(name)) continue
    const known = [...names].join(", ")
    return {
      name,
      why: `the SQL has no parameter ${name}.`,
      advice: known === "" ? "It has no parameters." : `It has ${known}.`,
    }
  }
  return undefined
}

/** All names for which the SQL takes a value. */
export const parameterNames = (sql: string): ReadonlySet<string> => {
  const { bound, variables } = namesIn(sql)
  return new Set([...bound, ...variables])
}
