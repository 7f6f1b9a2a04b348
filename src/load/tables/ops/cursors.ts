// ops.cursors: where the next run of each (pipeline, entity) begins.
import { json, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const cursors: Table = {
  schema: "ops",
  name: "cursors",
  mode: "replace",
  grain: "pipeline and entity",
  comment: "Where the next run begins to read; committed together with the rows up to there.",
  source: "the loader",
  key: ["pipeline", "entity"],
  columns: [
    text("pipeline", "Pipeline", { required: true }),
    text("entity", "Vault, subaccount, \u2026 or `-`", { required: true }),
    json("cursor", "Position; its form depends on the pipeline", { required: true }),
    text("run_id", "Run that last moved it", { required: true }),
    timestamp("updated_at", "When it last moved", { required: true }),
  ],
  example: "select pipeline, count(*), max(updated_at) from ops.cursors group by all",
}
