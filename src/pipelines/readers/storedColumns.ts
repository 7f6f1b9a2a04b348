// What a published copy lacks of the tables as they are declared. Until the first publication after an upgrade, the copy is that
// of an older version, without the columns and tables that were added since; a restored one may be older still.
import * as Effect from "effect/Effect"
import { allColumns, storedTables, type Table, tableName } from "../../domain/table/table.ts"
import type { PublishedCopy } from "../../load/published/read/PublishedCopy.ts"
import { identifier, storedType } from "../../load/sql/sql.ts"
import { tables } from "../pipelines.ts"

/** By table, `core.vaults`. */
const storedColumns = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const found = yield* copy.rows(
    `select schema_name || '.' || table_name as name, list(column_name) as columns
     from duckdb_columns() where database_name = current_catalog() group by name`,
  )
  return new Map(
    found.map(({ name, columns }) => [
      String(name),
      new Set(columns as unknown as ReadonlyArray<string>),
    ]),
  )
})

/** The declared tables that the copy has, each with those of its columns that the copy has. */
export const tablesIn = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const stored = yield* storedColumns(copy)
  return tables.flatMap((table): ReadonlyArray<Table> => {
    const columns = stored.get(tableName(table))
    if (columns === undefined) return []
    return [{ ...table, columns: table.columns.filter(({ name }) => columns.has(name)) }]
  })
})

/** A table that lacks columns, or is not there. */
export interface Incomplete {
  readonly name: string
  readonly isThere: boolean
  /** What it lacks, as an upgrade adds it: `NULL::BIGINT AS "unread_requests"`. */
  readonly lacked: ReadonlyArray<string>
}

/** The tables of which the copy lacks something; none if this version published it. */
export const incompleteTables = Effect.fnUntraced(function* (copy: PublishedCopy) {
  const stored = yield* storedColumns(copy)
  return tables.flatMap(storedTables).flatMap((table): ReadonlyArray<Incomplete> => {
    const name = tableName(table)
    const columns = stored.get(name)
    const lacked = allColumns(table).filter((column) => columns?.has(column.name) !== true)
    if (lacked.length === 0) return []
    const nulls = lacked.map(
      (column) => `NULL::${storedType[column.type]} AS ${identifier(column.name)}`,
    )
    return [{ name, isThere: columns !== undefined, lacked: nulls }]
  })
})
