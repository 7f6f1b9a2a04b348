// The queries that the marts are made of, for readers that evaluate them over other rows, as those of an instant: a
// published copy holds the rows of some marts, not their query.
import { marts, viewQuery } from "../../load/marts/marts.ts"

/** By the mart's name, without its schema. Tables and marts are named with their schemas. */
export const martQueries = (): Readonly<Record<string, string>> =>
  Object.fromEntries(marts.map((mart) => [mart.name, viewQuery(mart)]))
