// ops.tasks: what became of each (pipeline, entity, window) of each run.
import type { Table } from "../../domain/table.ts"

export const tasks: Table = {
  schema: "ops",
  name: "tasks",
  mode: "replace",
  grain: "run, pipeline, entity and window",
  comment: "What became of each unit of work; committed together with its rows.",
  source: "the runner",
  key: ["run_id", "pipeline", "entity", "window"],
  columns: [
    { name: "run_id", type: "text", required: true, comment: "Run (ops.runs)" },
    { name: "pipeline", type: "text", required: true, comment: "Pipeline" },
    { name: "entity", type: "text", required: true, comment: "Vault, subaccount, \u2026 or `-`" },
    {
      name: "window",
      type: "text",
      required: true,
      comment: "Part of the entity that was read, for example a range of days",
    },
    {
      name: "outcome",
      type: "text",
      required: true,
      comment:
        "loaded, unchanged, empty, suspicious_empty, unsupported, skipped, deferred, quarantined or failed",
    },
    {
      name: "requests",
      type: "integer",
      required: true,
      comment: "HTTP requests sent for it, retries included",
    },
    {
      name: "rows_inserted",
      type: "integer",
      required: true,
      comment: "Rows new to the warehouse",
    },
    { name: "rows_revised", type: "integer", required: true, comment: "Rows whose values changed" },
    {
      name: "rows_unchanged",
      type: "integer",
      required: true,
      comment: "Rows that were there already",
    },
    {
      name: "seconds",
      type: "double",
      unit: "seconds",
      required: true,
      comment: "Time the window added to its entity: since its last commit, or since it began",
    },
    { name: "error_tag", type: "text", comment: "Kind of the error, for example RateLimited" },
    { name: "error_text", type: "text", comment: "The error as a user reads it" },
    {
      name: "finished_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it was committed",
    },
  ],
  example: "select pipeline, outcome, count(*) from ops.tasks group by all order by all",
}
