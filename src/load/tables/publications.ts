// ops.publications: every reader copy that was made.
import type { Table } from "../../domain/table.ts"

export const publications: Table = {
  schema: "ops",
  name: "publications",
  mode: "replace",
  grain: "publication",
  comment: "Every read-only copy and Parquet export made; the last row says what a copy holds.",
  source: "the publisher",
  key: ["run_id"],
  columns: [
    { name: "run_id", type: "text", required: true, comment: "Run whose state was published" },
    {
      name: "published_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Consistent as-of time of everything in the copy",
    },
    { name: "parquet_files", type: "integer", comment: "Parquet files in the manifest" },
    { name: "parquet_rows", type: "integer", comment: "Rows in the manifest" },
  ],
  example: "select max(published_at) from ops.publications",
}
