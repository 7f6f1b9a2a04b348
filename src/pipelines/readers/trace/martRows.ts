// The rows that the figures of a mart are made from, as the mart's YAML file says.
import * as Effect from "effect/Effect"
import { storedKey, type Table, tableName } from "../../../domain/table/table.ts"
import type { MartSource } from "../../../load/marts/marts.ts"
import type { PublishedCopy } from "../../../load/published/read/PublishedCopy.ts"
import { sourceRows } from "./tracedRows.ts"
import { tables } from "../../pipelines.ts"
import type { Row } from "../runs.ts"
import type { Target } from "./traceTarget.ts"

/** Column of the target → column of the table, or the columns it is derived from. */
export type Columns = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Columns of the table that one column of the target comes from. */
export const fieldsOf = (named: string | ReadonlyArray<string> | undefined) =>
  named === undefined ? [] : typeof named === "string" ? [named] : named

/** `nav_usd (total_nav), reported_tvl`: each column, with what the table calls it where that differs. */
export const columnsText = (columns: Columns): string =>
  Object.entries(columns)
    .map(([column, field]) =>
      column === field ? column : `${column} (${fieldsOf(field).join(", ")})`,
    )
    .join(", ")

/** Rows of one table, and the figures that come from them. */
export interface SourceRows {
  readonly table: Table
  readonly columns: Columns
  readonly rows: ReadonlyArray<Row>
}

/** The rows that figures of a mart are made from. Figures made from the same rows are one entry. */
export const rowsOfMart = Effect.fnUntraced(function* (
  copy: PublishedCopy,
  target: Target,
  columns: ReadonlyArray<string>,
) {
  const found = new Map<string, SourceRows>()
  const { mart } = target
  if (mart === undefined) return []
  for (const source of mart.from ?? []) {
    const wanted = Object.entries(source.columns).filter(([column]) => columns.includes(column))
    if (wanted.length === 0) continue
    const table = tables.find((each) => tableName(each) === source.table)
    if (table === undefined) {
      return yield* Effect.die(
        new Error(`${target.name} comes from ${source.table}: no such table`),
      )
    }
    const rows = yield* sourceRows(copy, mart, target.row, source, table)
    for (const [column, named] of wanted) {
      const own = rowsBehind(rows, source, fieldsOf(named))
      const same = JSON.stringify([
        source.table,
        own.map((row) => storedKey(table).map((name) => row[name])),
      ])
      const known = found.get(same)
      found.set(same, {
        table,
        columns: { ...known?.columns, [column]: allColumns(known?.columns[column], named) },
        rows: own,
      })
    }
  }
  return withoutEmptySources([...found.values()])
})

const allColumns = (
  one: string | ReadonlyArray<string> | undefined,
  other: string | ReadonlyArray<string>,
): string | ReadonlyArray<string> => {
  const [first = "", ...more] = new Set([...fieldsOf(one), ...fieldsOf(other)])
  return more.length === 0 ? first : [first, ...more]
}

/** A figure that has rows in one source has none in others: those apply to other rows of the mart. */
const withoutEmptySources = (all: ReadonlyArray<SourceRows>): ReadonlyArray<SourceRows> => {
  const filled = all.filter(({ rows }) => rows.length > 0)
  const withRows = new Set(filled.flatMap(({ columns }) => Object.keys(columns)))
  const kept = all.map((source): SourceRows => {
    if (source.rows.length > 0) return source
    const others = Object.entries(source.columns).filter(([column]) => !withRows.has(column))
    return { ...source, columns: Object.fromEntries(others) }
  })
  return kept.filter(({ columns }) => Object.keys(columns).length > 0)
}

/** A figure taken from one row skips rows without a value, as the mart itself does. */
const rowsBehind = (
  rows: ReadonlyArray<Row>,
  { first_by: order }: MartSource,
  fields: ReadonlyArray<string>,
): ReadonlyArray<Row> =>
  order === undefined
    ? rows
    : rows.filter((row) => fields.every((field) => row[field] !== null)).slice(0, 1)
