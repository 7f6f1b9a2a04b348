// ops.partition_changes: which months of which tables changed, so that only they are exported again.
import type { Table } from "../../domain/table.ts"

export const partitionChanges: Table = {
  schema: "ops",
  name: "partition_changes",
  mode: "replace",
  grain: "table and month of event time",
  comment:
    "When each part of each table first changed since it was last exported; written in the transaction that changed it.",
  source: "the loader",
  key: ["table_schema", "table_name", "month"],
  columns: [
    { name: "table_schema", type: "text", required: true, comment: "Schema of the table" },
    { name: "table_name", type: "text", required: true, comment: "Table" },
    {
      name: "month",
      type: "text",
      required: true,
      comment: "Month of event time as YYYY-MM; `-` for a table that is not partitioned",
    },
    { name: "run_id", type: "text", required: true, comment: "Run that changed it" },
    { name: "changed_at", type: "timestamp", unit: "UTC", required: true, comment: "When" },
  ],
  example: "select * from ops.partition_changes order by changed_at desc limit 10",
}
