// The list of runs and one run, for people.
import type { LastRun } from "../../pipelines/run/lastRun.ts"
import type { Row, RunHistory, RunReport, RunRow } from "../../pipelines/readers/runs.ts"
import { paintOutcomes } from "../color.ts"
import { paragraph } from "../terminal.ts"
import { cellText, rowsTable } from "../rowsTable.ts"

export const historyText = ({ runs, unpublished }: RunHistory, hidden: number): string =>
  [
    rowsTable(
      runs.map((run) => ({
        run: run.run_id,
        command: run["command"],
        started: cellText(run.started_at).slice(0, 16),
        took: duration(run),
        outcome: outcomeOf(run),
        tasks: run["tasks"],
        requests: run["requests"],
        new_rows: run["rows_inserted"],
        revised: run["rows_revised"],
      })),
      "No run is published yet.",
      undefined,
      // An id begins with when the run started.
      ["started", "command", "tasks"],
      ["outcome"],
    ),
    ...(hidden > 0 ? [`(${hidden} older, --max-rows shows more)`] : []),
    ...unpublishedText(unpublished),
    "",
  ].join("\n")

export const reportText = (report: RunReport, unpublished: LastRun | undefined): string => {
  const { run, tasks, errors, gaps, quarantine, drift } = report
  return [
    ...unpublishedText(unpublished),
    `Run ${run.run_id}: \`${String(run["command"])}\`, ${paintOutcomes(outcomeOf(run))}`,
    paragraph(
      `Started ${cellText(run.started_at).slice(0, 19)} UTC, took ${duration(run)}; vaulthouse ${cellText(run["vaulthouse_version"])}, ${cellText(run["base_url"])}`,
    ),
    `${cellText(run["tasks"])} tasks, ${cellText(run["requests"])} requests, ${cellText(run["rows_inserted"])} new rows, ${cellText(run["rows_revised"])} revised`,
    "",
    rowsTable(
      tasks,
      "It did no task.",
      undefined,
      ["entities", "rows_unchanged", "seconds"],
      ["outcome"],
    ),
    "",
    ...errorTexts(errors),
    ...section("Gaps it recorded or settled", gaps, "none"),
    ...section("Quarantined by it", quarantine, "none"),
    ...section("Fields it saw first that the document does not name", drift, "none"),
    "",
  ].join("\n")
}

/** The last run ended and left no trace in the copy: nothing was new, or publishing was left out. */
const unpublishedText = (last: LastRun | undefined): ReadonlyArray<string> =>
  last === undefined
    ? []
    : [
        paragraph(
          `The last run, ${last.runId}, is not in the published copy: it ended ${last.outcome} at ${last.finishedAt.slice(0, 19).replace("T", " ")} UTC with ${last.rowsInserted.toLocaleString("en")} new rows and ${last.rowsRevised.toLocaleString("en")} revised (${last.requests} requests, ${last.seconds.toFixed(1)} s; last-run.json).`,
        ),
      ]

const outcomeOf = (run: RunRow): string => {
  const { outcome } = run
  return typeof outcome === "string" ? outcome : "not ended (under way, or killed)"
}

const duration = (run: RunRow): string => {
  const { seconds } = run
  if (typeof seconds !== "number") return "–"
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** In full: a long text in a column is read by nobody. */
const errorTexts = (errors: ReadonlyArray<Row>): ReadonlyArray<string> => {
  if (errors.length === 0) return ["Errors: none", ""]
  const groups = [...Map.groupBy(errors, ({ outcome }) => String(outcome))]
  return groups.flatMap(([outcome, of]) => [
    `${paintOutcomes(outcome.replaceAll("_", " "))} (${of.length}):`,
    ...of.flatMap((task) => [
      `  ${[task["pipeline"], task["entity"], task["window"], task["error_tag"]].map(cellText).join("  ")}`,
      ...String(task["error_text"])
        .split("\n")
        .map((line) => `    ${paragraph(line, 4)}`),
    ]),
    "",
  ])
}

const section = (title: string, rows: ReadonlyArray<Row>, none: string): ReadonlyArray<string> =>
  rows.length === 0 ? [`${title}: ${none}`] : [`${title}:`, rowsTable(rows, none), ""]
