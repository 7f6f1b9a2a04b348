// ops.publications: every publication.
import { integer, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const publications: Table = {
  schema: "ops",
  name: "publications",
  mode: "replace",
  grain: "publication",
  comment: "Every publication; the newest row in a copy is the one that it holds.",
  source: "the publisher",
  key: ["run_id"],
  columns: [
    text("run_id", "Run whose state was published", { required: true }),
    timestamp("published_at", "As-of time of everything in the copy", {
      required: true,
    }),
    integer("parquet_files", "Parquet files in the manifest"),
    integer("parquet_rows", "Rows in the manifest"),
  ],
  example: "select max(published_at) from ops.publications",
}
