// ops.layout: which tables the warehouse has, as one fingerprint, so that an unchanged layout is not compared again.
import { integer, text } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const layout: Table = {
  schema: "ops",
  name: "layout",
  mode: "replace",
  grain: "warehouse",
  comment: "The layout of this warehouse's tables.",
  source: "the loader",
  key: ["fingerprint"],
  columns: [
    text("fingerprint", "SHA-256 of the statements that make the tables and their comments", {
      required: true,
    }),
    integer(
      "number",
      "Number of the layout, which only grows: a version refuses a higher one than its own; null in the first layout",
    ),
  ],
  example: "select number, fingerprint from ops.layout",
}
