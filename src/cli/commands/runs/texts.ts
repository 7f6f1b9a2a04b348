// The list of runs, and one run, as text.
import type { LastRun } from "../../../pipelines/run/lastRun.ts"
import type { Row, RunHistory, RunReport, RunRow } from "../../../pipelines/readers/runs.ts"
import { paintOutcomes } from "../../terminal/color.ts"
import { lastRunText } from "../../words/lastRunText.ts"
import { duration } from "../../words/numbers.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { cellText, rowsTable } from "../../terminal/rowsTable.ts"
import { counted } from "../../../domain/values/numbers.ts"

export const historyText = ({ runs, unpublished }: RunHistory, hidden: number): string =>
  [
    rowsTable(
      runs.map((run) => ({
        run: run.run_id,
        command: run["command"],
        started: cellText(run.started_at).slice(0, 16),
        took: durationOf(run),
        outcome: outcomeOf(run),
        tasks: run["tasks"],
        requests: run["requests"],
        new_rows: run["rows_inserted"],
        revised: run["rows_revised"],
      })),
      "No run is published yet.",
      // An id begins with the time at which the run started.
      { dispensable: ["started", "command", "tasks"], outcomes: ["outcome"] },
    ),
    ...(hidden > 0 ? [`(${hidden} older, --max-rows shows more)`] : []),
    ...unpublishedText(unpublished),
    "",
  ].join("\n")

export const reportText = (report: RunReport, unpublished: LastRun | undefined): string => {
  const { run, tasks, errors, checks, gaps, quarantine, drift } = report
  return [
    ...unpublishedText(unpublished),
    `Run ${run.run_id}: \`${String(run["command"])}\`, ${paintOutcomes(outcomeOf(run))}`,
    paragraph(
      `Started ${cellText(run.started_at).slice(0, 19)} UTC, took ${durationOf(run)}; vaulthouse ${cellText(run["vaulthouse_version"])}, ${cellText(run["base_url"])}`,
    ),
    `${countOf(run["tasks"], "task")}, ${countOf(run["requests"], "request")}, ${countOf(run["rows_inserted"], "new row")}, ${cellText(run["rows_revised"])} revised`,
    "",
    rowsTable(tasks.map(inWords), "The run has no task.", {
      dispensable: ["entities", "unchanged", "seconds"],
      outcomes: ["outcome"],
    }),
    "",
    ...errorTexts(errors),
    ...section("Gaps it recorded or closed", gaps),
    ...section("Failed checks", checks),
    ...section("Quarantined by it", quarantine),
    ...section("Schema drift it saw first", drift),
    "",
  ].join("\n")
}

/** With the terms of the summary of a run. */
const inWords = ({ rows_inserted, rows_revised, rows_unchanged, seconds, ...task }: Row): Row => ({
  ...task,
  new_rows: rows_inserted,
  revised: rows_revised,
  unchanged: rows_unchanged,
  seconds,
})

/** Says that the last run is not in the copy: it is in progress, failed, found nothing new or did not publish. */
const unpublishedText = (last: LastRun | undefined): ReadonlyArray<string> =>
  last === undefined
    ? []
    : [paragraph(`The last run is not in the published copy: ${lastRunText(last)}`)]

const outcomeOf = ({ outcome }: RunRow): string =>
  typeof outcome === "string" ? outcome : "not ended (running, or killed)"

/** `–` for a run that has not ended. */
const countOf = (value: unknown, noun: string): string =>
  typeof value === "number" ? counted(value, noun) : `– ${noun}s`

const durationOf = ({ seconds }: RunRow): string =>
  typeof seconds === "number" ? duration(seconds) : "–"

/** The errors in full, because a long text does not fit a column. */
const errorTexts = (errors: ReadonlyArray<Row>): ReadonlyArray<string> => {
  if (errors.length === 0) return ["Errors: none", ""]
  const groups = [...Map.groupBy(errors, ({ outcome }) => String(outcome))]
  return groups.flatMap(([outcome, tasks]) => [
    `${paintOutcomes(outcome.replaceAll("_", " "))} (${tasks.length}):`,
    ...tasks.flatMap((task) => [
      `  ${paragraph([task["pipeline"], task["entity"], task["window"], task["error_tag"]].map(cellText).join("  "), 4)}`,
      ...String(task["error_text"])
        .split("\n")
        .map((line) => `    ${paragraph(line, 4)}`),
    ]),
    "",
  ])
}

const section = (title: string, rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.length === 0 ? [`${title}: none`] : [`${title}:`, rowsTable(rows, ""), ""]
