// Rows of the published copy by their keys and times, for following a figure back: the row that is meant, the rows that a
// mart made it from, and their earlier versions.
import * as Effect from "effect/Effect"
import { storedKey, type Table, tableName, versionsOf } from "../../../domain/table/table.ts"
import { parseDay, parseInstant } from "../../../domain/values/time.ts"
import type { Mart, MartSource } from "../../../load/marts/marts.ts"
import type { QueryParameters } from "../../../domain/values/queryParameter.ts"
import { identifier } from "../../../load/sql/sql.ts"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"

type Row = Readonly<Record<string, unknown>>

/** In SQL, with the values of its parameters. */
export interface Condition {
  readonly sql: string
  readonly parameters: QueryParameters
}

export interface Relation {
  /** With its schema. */
  readonly name: string
  /** Column that distinguishes the rows of an entity. */
  readonly time: string | undefined
}

/** From `from` until before `to`, microseconds since 1970 UTC. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export const hasValues = (values: Readonly<Record<string, string>>): Condition => {
  const entries = Object.entries(values)
  return {
    sql: [
      "true",
      ...entries.map(([column], at) => `${identifier(column)}::varchar = $e${at}`),
    ].join(" and "),
    parameters: Object.fromEntries(entries.map(([, value], at) => [`e${at}`, value])),
  }
}

/** A slowly changing row is of the time in which it was current; without a span, the one that is. */
export const isWithin = (
  { time }: Relation,
  isSlowlyChanging: boolean,
  span: TimeSpan | undefined,
): Condition => {
  if (span === undefined || time === undefined) {
    return { sql: isSlowlyChanging ? "is_current" : "true", parameters: {} }
  }
  const column = `${identifier(time)}::timestamp`
  return {
    sql: isSlowlyChanging
      ? `${column} < $moment_to and (valid_to is null or valid_to > $moment_from)`
      : `${column} >= $moment_from and ${column} < $moment_to`,
    parameters: boundsOf(span),
  }
}

const boundsOf = ({ from, to }: TimeSpan) => ({
  moment_from: { micros: from },
  moment_to: { micros: to },
})

const both = (conditions: ReadonlyArray<Condition>): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(" and "),
  parameters: Object.assign({}, ...conditions.map(({ parameters }) => parameters)),
})

const newestFirst = ({ time }: Relation): string =>
  time === undefined ? "" : `order by ${identifier(time)} desc`

/** The newest rows, at most 100. */
export const newestRows = (
  copy: PublishedCopy,
  relation: Relation,
  conditions: ReadonlyArray<Condition>,
) => {
  const { sql, parameters } = both(conditions)
  return copy.rows(
    `select * from ${relation.name} where ${sql} ${newestFirst(relation)} limit 100`,
    parameters,
  )
}

/** How many rows there are (`rows`), the `first` and `last` time of them, and those next `before` and `after` the span. */
export const timesOf = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  { name, time }: Relation,
  { sql, parameters }: Condition,
  span: TimeSpan = { from: 0, to: 0 },
) {
  const column = time === undefined ? "null::timestamp" : `${identifier(time)}::timestamp`
  const [range = {}] = yield* copy.rows(
    `select count(*) as rows, min(${column}) as first, max(${column}) as last,
       max(${column}) filter (${column} < $moment_from) as before,
       min(${column}) filter (${column} >= $moment_to) as after
     from ${name} where ${sql}`,
    { ...parameters, ...boundsOf(span) },
  )
  return range
})

/** When the last of the matching rows was left out of its set. */
export const leftOutAt = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  table: Table,
  conditions: ReadonlyArray<Condition>,
) {
  const { sql, parameters } = both(conditions)
  const [found] = yield* copy.rows(
    `select max(_superseded_at) as at from ${tableName(versionsOf(table))} where ${sql}`,
    parameters,
  )
  return found?.["at"]
})

// More rows than any figure is made of; a condition that lacks the time would find millions.
const MAX_SOURCE_ROWS = 10_000

/**
 * The rows of `table` that a row of a mart is made from. The row is given by its values: a mart takes a good part of a second
 * to be planned, and a figure of each of its columns may have other sources.
 */
export const sourceRows = (
  copy: PublishedCopy,
  { columns }: Mart,
  row: Row,
  source: MartSource,
  table: Table,
) => {
  const keys = storedKey(table).map((column) => `fact.${identifier(column)}`)
  const values = columns.map(({ name, type }, at) => `$m${at}::${type} as ${identifier(name)}`)
  return copy.rows(
    `with mart as (select ${values.join(", ")})
     select fact.* from mart, ${source.table} as fact where ${source.where}
     order by ${source.first_by ?? keys.join(", ")} limit ${MAX_SOURCE_ROWS}`,
    Object.fromEntries(
      columns.map(({ name, type }, at) => [`m${at}`, valueRead(type, row[name])]),
    ) as QueryParameters,
  )
}

/** Earlier versions of a row of a history table, the newest first. */
export const supersededVersions = (copy: PublishedCopy, table: Table, row: Row) => {
  const condition = table.key.map((name, at) => `${identifier(name)} = $k${at}`).join(" and ")
  const typeOf = (name: string) => table.columns.find((column) => column.name === name)?.type
  const values = table.key.map((name, at) => [`k${at}`, valueRead(typeOf(name), row[name])])
  return copy.rows(
    `select * from ${tableName(versionsOf(table))} where ${condition} order by _superseded_at desc`,
    Object.fromEntries(values) as QueryParameters,
  )
}

/** A value that was read from a column of this type, as a parameter. */
const valueRead = (type: string | undefined, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (type === "timestamp") return { micros: parseInstant(value) }
  return type === "date" ? { day: parseDay(value) } : value
}
