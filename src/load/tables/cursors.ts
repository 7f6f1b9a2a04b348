// ops.cursors: where the next run of each (pipeline, entity) begins.
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
    { name: "pipeline", type: "text", required: true, comment: "Pipeline" },
    { name: "entity", type: "text", required: true, comment: "Vault, subaccount, \u2026 or `-`" },
    {
      name: "cursor",
      type: "json",
      required: true,
      comment: "Position, meaningful to its pipeline alone",
    },
    { name: "run_id", type: "text", required: true, comment: "Run that moved it last" },
    {
      name: "updated_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it moved last",
    },
  ],
  example: "select pipeline, count(*), max(updated_at) from ops.cursors group by all",
}
