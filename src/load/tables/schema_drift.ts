// ops.schema_drift: fields the document does not name, or that changed.
import type { Table } from "../../domain/table.ts"

export const schemaDrift: Table = {
  schema: "ops",
  name: "schema_drift",
  mode: "first",
  grain: "endpoint, JSON path and kind",
  comment:
    "Fields seen for the first time, gone, or of another type than expected; each reported once.",
  source: "the pipelines",
  key: ["endpoint", "json_path", "kind"],
  columns: [
    { name: "endpoint", type: "text", required: true, comment: "Endpoint" },
    { name: "json_path", type: "text", required: true, comment: "Path of the field in a record" },
    {
      name: "kind",
      type: "text",
      required: true,
      comment: "`unknown_field`, `other_type`, `deprecated_field` or `missing_field`",
    },
    {
      name: "detail",
      type: "text",
      required: true,
      comment: "Type seen, and what was expected where something was",
    },
    { name: "run_id", type: "text", required: true, comment: "Run that saw it first" },
    {
      name: "first_seen_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it was seen first",
    },
  ],
  example: "select * from ops.schema_drift order by first_seen_at desc",
}
