// ops.cursors: where the next run of each (pipeline, entity) begins.
import { json, text, timestamp } from "../../domain/column.ts"
import type { Table } from "../../domain/table.ts"

export const cursors: Table = {
  schema: "ops",
  name: "cursors",
  mode: "replace",
  grain: "pipeline and entity",
  comment: "Where the next run begins; committed together with the rows it stands for.",
  source: "the loader",
  key: ["pipeline", "entity"],
  columns: [
    text("pipeline", "Pipeline", { required: true }),
    text("entity", "Vault, subaccount, \u2026 or `-`", { required: true }),
    json("cursor", "Position, in a form of its pipeline", { required: true }),
    text("run_id", "Run that moved it last", { required: true }),
    timestamp("updated_at", "When it moved last", { required: true }),
  ],
  example: "select pipeline, count(*), max(updated_at) from ops.cursors group by all",
}
