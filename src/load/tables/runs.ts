// ops.runs: every run and how it ended.
import type { Table } from "../../domain/table.ts"

export const runs: Table = {
  schema: "ops",
  name: "runs",
  mode: "replace",
  grain: "run",
  comment: "Every run of a command that writes, and how it ended.",
  source: "the runner",
  key: ["run_id"],
  columns: [
    {
      name: "run_id",
      type: "text",
      required: true,
      comment: "Identifier of the run; sorts by start",
    },
    {
      name: "command",
      type: "text",
      required: true,
      comment: "Command and pipelines as asked for",
    },
    {
      name: "started_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "Start of the run",
    },
    {
      name: "finished_at",
      type: "timestamp",
      unit: "UTC",
      comment: "End of the run; null while it runs or when it was killed",
    },
    {
      name: "outcome",
      type: "text",
      comment: "`complete`, `partial`, `deferred`, `failed` or null while it runs",
    },
    { name: "tasks", type: "integer", comment: "Tasks done" },
    { name: "requests", type: "integer", comment: "HTTP requests sent" },
    { name: "rows_inserted", type: "integer", comment: "Rows new to the warehouse" },
    {
      name: "rows_revised",
      type: "integer",
      comment: "Rows whose values changed, and rows that are gone from their set",
    },
    { name: "base_url", type: "text", comment: "Origin the data came from" },
    {
      name: "vaulthouse_version",
      type: "text",
      required: true,
      comment: "Version of vaulthouse that ran",
    },
  ],
  example:
    "select run_id, outcome, finished_at - started_at as duration from ops.runs order by run_id desc limit 5",
}
