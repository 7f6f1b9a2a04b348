// ops.partition_changes: which months of which tables changed, so that only they are published again.
import { text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const partitionChanges: Table = {
  schema: "ops",
  name: "partition_changes",
  mode: "replace",
  grain: "table and month of event time",
  comment:
    "When each month of each table first changed since it was last published, written in the transaction that changed it; for a table in schema mart_tables, when the rows it is made from changed; for the name `places` in schema raw, when archived bodies moved to other files, which readers must learn.",
  source: "the loader",
  key: ["table_schema", "table_name", "month"],
  columns: [
    text("table_schema", "Schema of the table", { required: true }),
    text("table_name", "Table", { required: true }),
    text("month", "Month of event time as YYYY-MM; `-` for a table that is not partitioned", {
      required: true,
    }),
    text("run_id", "Run that changed it", { required: true }),
    timestamp("changed_at", "When it changed", { required: true }),
  ],
  example: "select * from ops.partition_changes order by changed_at desc limit 10",
}
