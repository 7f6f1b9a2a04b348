// SQL whose now() stands still, so that an answer is the same whenever it is asked for.
import { type Mart, marts } from "../src/load/marts.ts"
import { literal } from "../src/load/sql.ts"

/** A `select` as it would be answered at an instant, UTC. */
export const askedAtInstant = (sql: string, instant: string): string =>
  sql.replaceAll("now()", `TIMESTAMPTZ ${literal(`${instant}+00`)}`)

/** The marts as they are, but for the clock. */
export const martsAt = (instant: string): ReadonlyArray<Mart> =>
  marts.map((mart) => ({ ...mart, sql: askedAtInstant(mart.sql, instant) }))
