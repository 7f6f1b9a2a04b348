// ops.tasks: what became of each (pipeline, entity, window) of each run.
import { date, double, integer, text, timestamp } from "../../domain/column.ts"
import type { Table } from "../../domain/table.ts"
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
      "Part of the entity that was read, for people, for example a range of days; covers_from and covers_to have the days",
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
    integer("rows_unchanged", "Rows that were there already", { required: true }),
    double(
      "seconds",
      "Time the window added to its entity: since its last commit, or since it began",
      { unit: "seconds", required: true },
    ),
    text(
      "error_tag",
      "Kind of the error, for example RateLimited; `Warned` where a set was empty but came with warnings, so that its rows stay",
    ),
    text("error_text", "The error as a user reads it"),
    timestamp("finished_at", "When it was committed", { required: true }),
    ...vaultColumns,
    seriesColumn,
    date(
      "covers_from",
      "First day requested, of a series (mart.series); null with a covers_to where it was everything up to that day. Whether there was a response is in outcome",
    ),
    date(
      "covers_to",
      "Last day requested, of a series; null where no days of a series were requested",
    ),
  ],
  example: "select pipeline, outcome, count(*) from ops.tasks group by all order by all",
}
