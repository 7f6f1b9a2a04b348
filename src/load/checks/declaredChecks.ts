// The checks that are declared, all but those of contracts, and what they do not cover: figures that nothing bounds or
// compares.
import { allColumns, type Table, tableName } from "../../domain/table/table.ts"
import { marts } from "../marts/marts.ts"
import type { Check } from "./Check.ts"
import { martChecks } from "./martChecks.ts"
import { sqlChecks } from "./sqlChecks.ts"
import { tableChecks } from "./tableChecks.ts"

export interface DeclaredChecks {
  readonly ofTables: ReadonlyArray<Check>
  readonly ofMarts: ReadonlyArray<Check>
  /** Those of warehouse/checks. */
  readonly ofFiles: ReadonlyArray<Check>
}

export const declaredChecks = (tables: ReadonlyArray<Table>): DeclaredChecks => ({
  ofTables: tableChecks(tables),
  ofMarts: martChecks,
  ofFiles: sqlChecks,
})

export interface Coverage {
  /** Figures (columns of doubles in core), past versions aside. */
  readonly figures: number
  /** Those with no range that no other check reads, as `schema.table.column`: any finite number passes. */
  readonly uncheckedFigures: ReadonlyArray<string>
}

export const coverageOf = (tables: ReadonlyArray<Table>): Coverage => {
  const texts = sqlChecks.map((check) => check.sql({ since: undefined }))
  const sources = marts
    .filter(({ name }) => texts.some((sql) => new RegExp(`\\bmart\\.${name}\\b`).test(sql)))
    .flatMap(({ from = [] }) => from)
  const isRead = (table: Table, column: string): boolean =>
    sources.some(
      (source) =>
        source.table === tableName(table) && Object.values(source.columns).flat().includes(column),
    ) ||
    texts.some(
      (sql) =>
        new RegExp(`\\b${tableName(table)}\\b`).test(sql) &&
        new RegExp(`\\b${column}\\b`).test(sql),
    )
  const figures = tables
    .filter(({ schema }) => schema === "core")
    .flatMap((table) =>
      allColumns(table)
        .filter(({ type }) => type === "double")
        .map((column) => ({ table, column })),
    )
  return {
    figures: figures.length,
    uncheckedFigures: figures
      .filter(
        ({ table, column: { name, range, plausible } }) =>
          range === undefined && plausible === undefined && !isRead(table, name),
      )
      .map(({ table, column }) => `${tableName(table)}.${column.name}`),
  }
}
