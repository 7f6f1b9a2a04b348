// ops.tasks: what became of each (pipeline, entity, window) of each run.
import { date, double, integer, text, timestamp } from "../../../domain/table/column.ts"
import type { Table } from "../../../domain/table/table.ts"
import { seriesColumn, vaultColumns } from "./vaultColumns.ts"

export const tasks: Table = {
  schema: "ops",
  name: "tasks",
  mode: "replace",
  grain: "run, pipeline, entity and window",
  comment: "What became of each task; committed together with its rows.",
  source: "the runner",
  key: ["run_id", "pipeline", "entity", "window"],
  columns: [
    text("run_id", "Run (ops.runs)", { required: true }),
    text("pipeline", "Pipeline", { required: true }),
    text("entity", "Vault, subaccount, \u2026 or `-`", { required: true }),
    text(
      "window",
      "Part of the entity that was read, as a text such as a range of days; the days are in covers_from and covers_to",
      { required: true },
    ),
    text(
      "outcome",
      "loaded, unchanged, empty, suspicious_empty, unsupported, skipped, deferred, quarantined or failed",
      { required: true },
    ),
    integer("requests", "HTTP requests sent for it, retries included", { required: true }),
    integer("rows_inserted", "Rows new to the warehouse", { required: true }),
    integer("rows_revised", "Rows whose values changed, and rows that were retired", {
      required: true,
    }),
    integer("rows_unchanged", "Rows that were stored already", { required: true }),
    double("seconds", "Time since the previous commit of its entity, or since the entity began", {
      unit: "seconds",
      required: true,
    }),
    text(
      "error_tag",
      "Kind of the error, for example RateLimited; `Warned` if a set was empty but had warnings, so that its rows stay",
    ),
    text("error_text", "The error as a user reads it"),
    timestamp("finished_at", "When it was committed", { required: true }),
    ...vaultColumns,
    seriesColumn,
    date(
      "covers_from",
      "First day of a series (mart.series) that was requested; null with a covers_to if everything up to that day was. The outcome shows whether there was a response",
    ),
    date("covers_to", "Last day of a series that was requested; null if no days of a series were"),
  ],
  example: "select pipeline, outcome, count(*) from ops.tasks group by all order by all",
}
