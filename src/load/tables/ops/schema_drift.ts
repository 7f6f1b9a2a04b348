// ops.schema_drift: fields the API document does not name, or that changed.
import { text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const schemaDrift: Table = {
  schema: "ops",
  name: "schema_drift",
  mode: "first",
  grain: "endpoint, JSON path and kind",
  comment: "Fields that are new, missing or of another type than expected; each is reported once.",
  source: "the pipelines",
  key: ["endpoint", "json_path", "kind"],
  columns: [
    text("endpoint", "Endpoint", { required: true }),
    text("json_path", "Path of the field in a record", { required: true }),
    text(
      "kind",
      "`unknown_field`, `other_type` or `deprecated_field`; `frozen_field` and `frozen_type` repeat the first two by table and field, for a table with the contract `freeze`; `repeated_key`: points of a history have one key and differ, so that the last of them is stored",
      {
        required: true,
      },
    ),
    text(
      "detail",
      "Type received, and the expected one if there is one; of a repeated key, the records",
      { required: true },
    ),
    text("run_id", "Run that first saw it", { required: true }),
    timestamp("first_seen_at", "When it was first seen", { required: true }),
  ],
  example: "select * from ops.schema_drift order by first_seen_at desc",
}
