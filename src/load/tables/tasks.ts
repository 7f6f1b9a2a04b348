// ops.tasks: what became of each (pipeline, entity, window) of each run.
import type { Table } from "../../domain/table.ts"
import { isOfSeries, seriesOfEntity, vaultOfEntity } from "./vaultColumns.ts"

// What versions without the columns wrote in `window`: `from..to` with both days or only the last, `newest 1000`,
// and of APY `smoothed 7d, full` or `smoothed 7d, 21 days` up to the day they asked on.
const coveredFrom = `case
  when not (${isOfSeries}) then null
  when "window" like '%..%' then try_cast(split_part("window", '..', 1) as date)
  when "window" like '%, % days'
    then finished_at::date + 1 - try_cast(regexp_extract("window", ', ([0-9]+) days$', 1) as integer)
end`
const coveredTo = `case
  when not (${isOfSeries}) then null
  when "window" like '..%' then try_cast(split_part("window", '..', 2) as date)
  when "window" like '%..%' and try_cast(split_part("window", '..', 1) as date) is not null
    then try_cast(split_part("window", '..', 2) as date)
  when regexp_matches("window", '^newest [0-9]+$|, full$|, [0-9]+ days$') then finished_at::date
end`

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
      comment:
        "Part of the entity that was read, as people read it, for example a range of days; what it stands for is in covers_from and covers_to",
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
    {
      name: "rows_revised",
      type: "integer",
      required: true,
      comment: "Rows whose values changed, and rows that are gone from their set",
    },
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
    {
      name: "error_tag",
      type: "text",
      comment:
        "Kind of the error, for example RateLimited; `Warned` where a set came empty beside warnings, which is not believed",
    },
    { name: "error_text", type: "text", comment: "The error as a user reads it" },
    {
      name: "finished_at",
      type: "timestamp",
      unit: "UTC",
      required: true,
      comment: "When it was committed",
    },
    ...vaultOfEntity,
    seriesOfEntity(`regexp_extract("window", '^(un)?smoothed [0-9]+d')`),
    {
      name: "covers_from",
      type: "date",
      unit: "UTC day",
      comment:
        "First day asked for, of a series (mart.series); null with a covers_to where it was everything up to that day. Whether there was an answer is in outcome",
      backfill: coveredFrom,
    },
    {
      name: "covers_to",
      type: "date",
      unit: "UTC day",
      comment: "Last day asked for, of a series; null where no days of a series were asked for",
      backfill: coveredTo,
    },
  ],
  example: "select pipeline, outcome, count(*) from ops.tasks group by all order by all",
}
