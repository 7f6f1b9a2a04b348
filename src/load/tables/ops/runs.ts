// ops.runs: every run and how it ended.
import { double, integer, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"

export const runs: Table = {
  schema: "ops",
  name: "runs",
  mode: "replace",
  grain: "run",
  comment: "Every run of a command that writes, and how it ended.",
  source: "the runner",
  key: ["run_id"],
  columns: [
    text("run_id", "Identifier of the run; sorts by start", { required: true }),
    text("command", "Command and pipelines, as typed", { required: true }),
    timestamp("started_at", "Start of the run", { required: true }),
    timestamp(
      "finished_at",
      "End of the run; for a killed run, the end of its last task, or its start if it had none; null while it runs",
    ),
    text(
      "outcome",
      "`complete`, `partial`, `deferred`, `failed`, `stopped` (by a signal), `killed` or null while it runs",
    ),
    integer("tasks", "Tasks done"),
    integer("requests", "HTTP requests sent"),
    integer("rows_inserted", "Rows new to the warehouse"),
    integer("rows_revised", "Rows whose values changed, and rows that were retired"),
    text("base_url", "Origin the data came from"),
    double(
      "requests_at_once",
      "Requests under way at once that the run ended with; the next run starts from it",
      { unit: "requests" },
    ),
    double(
      "requests_per_second",
      "Rate limit of the service as the run ended with it, learnt from 429s, and null without one; the next run starts from it",
      { unit: "requests per second" },
    ),
    text("vaulthouse_version", "Version of vaulthouse that ran", { required: true }),
  ],
  example:
    "select run_id, outcome, finished_at - started_at as duration from ops.runs order by run_id desc limit 5",
}
