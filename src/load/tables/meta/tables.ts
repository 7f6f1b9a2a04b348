// meta.tables: the dictionary's tables, for readers whose driver shows no comments.
import { text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const tables: Table = {
  schema: "meta",
  name: "tables",
  mode: "replace",
  grain: "table or view",
  comment: "Every table and mart: its content, what one row is, and its source.",
  source: "the data dictionary",
  key: ["table_name"],
  columns: [
    text("table_name", "Name with its schema", { required: true }),
    text("description", "What it holds", { required: true }),
    text("grain", "What one row is", { required: true }),
    text("key_columns", "Columns that identify a row, separated by commas", { required: true }),
    text("source", "Endpoint, file or part of vaulthouse it comes from", { required: true }),
    text(
      "as_of_macro",
      "Macro that returns its rows as known at an instant; null if there is none",
    ),
    text("example", "A useful query", { required: true }),
  ],
  example: "select table_name, description from meta.tables order by table_name",
}
