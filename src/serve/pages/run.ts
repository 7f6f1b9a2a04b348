// Shows one run: its tasks, errors, failed checks, gaps, quarantine and drift.
import * as Effect from "effect/Effect"
import { sqlFile } from "../../pipelines/readers/published.ts"
import { findRun, readRunHistory, readRunReport } from "../../pipelines/readers/runs.ts"
import { numberColumn, type Row, textColumn, timeColumn } from "../html/columns.ts"
import { count } from "../figures.ts"
import { html, type Html, nothing } from "../html/html.ts"
import type { Page } from "../html/layout.ts"
import { type Column, tableSection } from "../html/table.ts"
import { pairs } from "../html/values.ts"
import type { Site } from "../site.ts"
import { filledSql } from "../sql/filledSql.ts"

/** A section that is left out if it has no rows. */
const optionalSection = (
  id: string,
  title: string,
  caption: string,
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  runId: string,
): Html => {
  if (rows.length === 0) return nothing
  const source = { sql: filledSql(sqlFile("runs", id), { run_id: runId }), what: title }
  return tableSection(id, { title, caption, columns, empty: "", source }, rows)
}

export const readRunPage = ({ latest, dataDir }: Site, runId: string) =>
  latest.read((copy) =>
    Effect.gen(function* () {
      const run = yield* findRun(yield* readRunHistory(copy, dataDir), runId)
      const report = yield* readRunReport(copy, run)
      return {
        title: `Run ${run.run_id}`,
        section: "data",
        body: html`<h1>Run</h1>
          ${pairs(run)}
          ${optionalSection(
            "errors",
            "Errors",
            "Tasks that did not end well, failures first",
            report.errors,
            [
              textColumn("Pipeline", "pipeline"),
              textColumn("Partition", "entity"),
              textColumn("Window", "window"),
              textColumn("Outcome", "outcome"),
              textColumn("Error", "error_text"),
            ],
            run.run_id,
          )}
          ${optionalSection(
            "checks",
            "Failed checks",
            "Those of severity error first",
            report.checks,
            [
              textColumn("Check", "check_name"),
              textColumn("Severity", "severity"),
              numberColumn("Wrong rows", "failures", count),
            ],
            run.run_id,
          )}
          ${optionalSection(
            "tasks",
            "Tasks",
            "By pipeline and outcome",
            report.tasks,
            [
              textColumn("Pipeline", "pipeline"),
              textColumn("Outcome", "outcome"),
              numberColumn("Tasks", "tasks", count),
              numberColumn("Requests", "requests", count),
              numberColumn("New rows", "rows_inserted", count),
              numberColumn("Revised", "rows_revised", count),
              numberColumn("Unchanged", "rows_unchanged", count),
              numberColumn("Seconds", "seconds", count),
            ],
            run.run_id,
          )}
          ${optionalSection(
            "gaps",
            "Gaps",
            "Gaps that this run recorded or resolved",
            report.gaps,
            [
              textColumn("Pipeline", "pipeline"),
              textColumn("Partition", "entity"),
              timeColumn("From", "from_at"),
              timeColumn("To", "to_at"),
              textColumn("State", "state"),
              textColumn("Reason", "reason"),
            ],
            run.run_id,
          )}
          ${optionalSection(
            "quarantine",
            "Quarantine",
            "What it quarantined",
            report.quarantine,
            [
              textColumn("Endpoint", "endpoint"),
              textColumn("Partition", "entity"),
              textColumn("Path", "json_path"),
              textColumn("Detail", "detail"),
              timeColumn("Resolved", "closed_at"),
            ],
            run.run_id,
          )}
          ${optionalSection(
            "drift",
            "Drift",
            "Fields that were new, gone or of another type",
            report.drift,
            [
              textColumn("Endpoint", "endpoint"),
              textColumn("Path", "json_path"),
              textColumn("Kind", "kind"),
              textColumn("Detail", "detail"),
            ],
            run.run_id,
          )}`,
      } satisfies Page
    }),
  )
