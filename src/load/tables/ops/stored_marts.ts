// ops.stored_marts: what the tables of schema `mart_tables` were made from, so that only what changed is made again.
import { text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const storedMartsTable: Table = {
  schema: "ops",
  name: "stored_marts",
  mode: "replace",
  grain: "stored mart",
  comment: "When each stored mart, which is a table in published copies, was brought up to date.",
  source: "the publisher",
  key: ["name"],
  columns: [
    text("name", "Name of the mart, without its schema", { required: true }),
    text(
      "definition",
      "Hash of the definitions of all marts, and of the rows of small marts that any row may depend on",
      {
        required: true,
      },
    ),
    timestamp("refreshed_at", "Time up to which changes are in its rows", { required: true }),
  ],
  example: "select name, refreshed_at from ops.stored_marts order by name",
}
