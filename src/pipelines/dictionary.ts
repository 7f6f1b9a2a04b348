// The data dictionary: every table and mart, from the values the database itself is made of.
import { allColumns, tableName } from "../domain/table.ts"
import { storedTables } from "../load/ddl.ts"
import { marts } from "../load/marts.ts"
import { tables } from "./catalog.ts"

export interface DictionaryEntry {
  readonly name: string
  readonly comment: string
  readonly grain: string
  readonly key: ReadonlyArray<string>
  readonly source: string
  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly unit: string | undefined
    readonly comment: string
  }>
  readonly example: string
}

/** Marts first: they are what most people look for. */
export const dictionary = (): ReadonlyArray<DictionaryEntry> => [
  ...marts.map((mart) => ({
    name: `mart.${mart.name}`,
    comment: mart.description.trim(),
    grain: mart.grain,
    key: mart.key,
    source: `warehouse/marts/${mart.name}.sql`,
    columns: mart.columns.map(({ name, type, unit, comment }) => ({ name, type, unit, comment })),
    example: mart.example,
  })),
  ...tables.flatMap(storedTables).map((table) => ({
    name: tableName(table),
    comment: table.comment,
    grain: table.grain,
    key: table.key,
    source: table.source,
    columns: allColumns(table).map(({ name, type, unit, comment }) => ({
      name,
      type,
      unit,
      comment,
    })),
    example: table.example,
  })),
]
