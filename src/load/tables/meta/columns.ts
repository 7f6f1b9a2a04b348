// meta.columns: the dictionary's columns, for readers whose driver shows no comments.
import { boolean, integer, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const columns: Table = {
  schema: "meta",
  name: "columns",
  mode: "replace",
  grain: "column of a table or view",
  comment: "Every column of every table and mart: its meaning, unit, and field in the API.",
  source: "the data dictionary",
  key: ["table_name", "column_name"],
  columns: [
    text("table_name", "Name with its schema", { required: true }),
    integer("position", "Place in the table, from 1", { required: true }),
    text("column_name", "Name of the column", { required: true }),
    text("type", "Type in DuckDB", { required: true }),
    text("unit", "Unit of its values; null if it has none"),
    text("description", "What it means", { required: true }),
    text("fields", "Fields of the API it is read from; null for vaulthouse's own columns"),
    boolean("is_required", "Whether it is never null", { required: true }),
  ],
  example:
    "select column_name, unit, description from meta.columns where table_name = 'mart.vault_latest' order by position",
}
