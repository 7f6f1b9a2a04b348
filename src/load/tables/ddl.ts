// A table's DDL and comments, generated from its declaration. No primary keys: see
// docs/decisions/0003-no-primary-keys.md.
import type { Column } from "../../domain/table/column.ts"
import { allColumns, type Table } from "../../domain/table/table.ts"
import { CATALOG, identifier, literal, qualified, storedType } from "../sql/sql.ts"
import { relationComment, unitComment } from "./comment.ts"

export const schemas = ["core", "mart", "meta", "ops", "raw"] as const

export const columnDefinition = (column: Column): string =>
  `${identifier(column.name)} ${storedType[column.type]}${column.required === true ? " NOT NULL" : ""}`

export const createTable = (table: Table): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified(table)} (${allColumns(table).map(columnDefinition).join(", ")})`

export const createSchemas: ReadonlyArray<string> = schemas.map(
  (schema) => `CREATE SCHEMA IF NOT EXISTS ${CATALOG}.${identifier(schema)}`,
)

export const tableComment = (table: Table): string =>
  `${relationComment(table.comment, table.grain)} Source: ${table.source}`

/** Meaning, unit and source: a column without fields of the API is filled by vaulthouse itself. */
export const columnComment = (table: Table, column: Column): string => {
  const { fields: names = [] } = column
  const fields = names.length === 0 ? "" : `, field ${names.join(" or ")}`
  const source = column.name.startsWith("_") ? "vaulthouse" : table.source
  return `${unitComment(column.comment, column.unit)} Source: ${source}${fields}`
}

export const commentOnTable = (table: Table): string =>
  `COMMENT ON TABLE ${qualified(table)} IS ${literal(tableComment(table))}`

export const commentOnColumn = (table: Table, column: Column): string =>
  `COMMENT ON COLUMN ${qualified(table)}.${identifier(column.name)} IS ${literal(columnComment(table, column))}`
