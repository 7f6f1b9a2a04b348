// The result of a run on one screen: what landed, what did not and why, what to do next.
import type { CheckResult } from "../../../domain/run/checkResult.ts"
import type { RunSummary } from "../../../pipelines/model/progress.ts"
import type { Problem } from "../../../domain/run/problem.ts"
import { type Meaning, paint, paintPart } from "../../terminal/color.ts"
import { duration } from "../../words/numbers.ts"
import { kindsText } from "../../words/problemsText.ts"
import { paragraph } from "../../terminal/terminal.ts"
import { errorsText, landedTable, quietText, skippedText } from "./pipelineTexts.ts"
import { count, counted } from "../../../domain/values/numbers.ts"

/** Of 24 lines, one is for the next prompt. */
const SCREEN_HEIGHT = 23

/** How many lines of each part to show: the first of these limits with which the summary fits the screen. */
const limits = [
  { rows: 10, skipped: 4, errors: 4, checks: 4 },
  { rows: 7, skipped: 3, errors: 3, checks: 3 },
  { rows: 5, skipped: 1, errors: 3, checks: 2 },
  { rows: 3, skipped: 0, errors: 2, checks: 1 },
] as const

/** `problems` are those of the whole warehouse. */
export const summaryText = (
  summary: RunSummary,
  dataDir: string,
  problems: ReadonlyArray<Problem> = [],
): string => {
  const texts = limits.map((each) => summaryLines(summary, dataDir, problems, each))
  const fitting = texts.find(({ length }) => length <= SCREEN_HEIGHT) ?? texts.at(-1)
  return `${fitting?.join("\n")}\n`
}

const summaryLines = (
  summary: RunSummary,
  dataDir: string,
  problems: ReadonlyArray<Problem>,
  max: (typeof limits)[number],
): ReadonlyArray<string> => {
  const { pipelines, failedChecks, outcome } = summary
  const parts = [
    landedTable(pipelines, max.rows),
    [...quietText(pipelines), ...skippedText(pipelines, max.skipped)],
    errorsText(pipelines, max.errors),
    checksText(failedChecks, max.checks),
    [
      paintPart(
        paragraph(outcomeText(summary, dataDir)),
        /^(Nothing new|\w+)/,
        outcomeMeanings[outcome],
      ),
      ...nextText(summary, problems),
    ].flatMap((text) => text.split("\n")),
  ]
  return parts
    .filter(({ length }) => length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]))
}

const checksText = (failed: ReadonlyArray<CheckResult>, max: number): ReadonlyArray<string> => {
  const more = failed.length - max
  return failed.length === 0
    ? []
    : [
        paint("Failed checks:", "warning"),
        ...failed
          .toSorted((a, b) => a.severity.localeCompare(b.severity))
          .slice(0, max)
          .map(
            ({ name, severity, failures }) =>
              `  ${severity === "error" ? paint("ERROR", "bad") : paint("warn ", "warning")}  ${name}: ${counted(failures, "row")}`,
          ),
        ...(more > 0 ? [`  … and ${count(more)} more`] : []),
        paragraph("  `vaulthouse check --name NAME` shows the rows.", 2),
      ]
}

/** What to do next. */
const nextText = (
  { outcome, published }: RunSummary,
  all: ReadonlyArray<Problem>,
): ReadonlyArray<string> => {
  // The outcome has already said that the run failed.
  const problems = all.filter(({ kind }) => kind !== "run_failed")
  const details =
    outcome === "complete" || !published ? "" : " `vaulthouse runs show last` has every error."
  if (problems.length === 0) return details === "" ? [] : [paragraph(details.trim())]
  return [
    paragraph(
      `Needs attention: ${kindsText(problems)}; \`vaulthouse status\` says what to do.${details}`,
    ),
  ]
}

const outcomeMeanings: Readonly<Record<RunSummary["outcome"], Meaning>> = {
  complete: "good",
  partial: "warning",
  deferred: "warning",
  failed: "bad",
}

/** The outcome of a run in a sentence. */
export const outcomeText = (summary: RunSummary, dataDir: string): string => {
  const effort = `${counted(summary.requests, "request")}, ${duration(summary.seconds)}`
  const published = summary.published ? ` Published in ${dataDir}.` : ""
  switch (summary.outcome) {
    case "complete":
      return summary.nothingNew
        ? `Nothing new (${effort}).${published}${suspiciousText(summary)}`
        : `Complete: ${counted(summary.rowsInserted, "new row")}, ${count(summary.rowsRevised)} revised (${effort}).${published}${suspiciousText(summary)}`
    case "partial":
      return `Partial: ${partialReason(summary)}, ${restText(summary)} (${effort}).${published} The next sync reads what is missing.`
    case "deferred":
      return `Deferred: the service requires a wait ${delayText(summary)} (${effort}); what landed is kept.${published} Run sync again after that.`
    case "failed":
      return `Failed: ${summary.keyRejected ? "the API key was rejected and " : ""}nothing landed (${effort}).`
  }
}

const restText = ({ nothingNew }: RunSummary): string =>
  nothingNew ? "nothing new in the rest" : "the rest landed"

const partialReason = ({ pipelines, keyRejected }: RunSummary): string =>
  keyRejected && pipelines.every(({ firstErrors }) => firstErrors.length === 0)
    ? "the API key was rejected"
    : "some tasks failed"

const delayText = ({ pipelines }: RunSummary): string => {
  const delay = Math.max(0, ...pipelines.map(({ delaySeconds = 0 }) => delaySeconds))
  return delay > 0 ? `of ${duration(delay)}` : "longer than a run allows"
}

/** Names the pipelines that got an empty response where rows exist, because a person has to find out why. */
const suspiciousText = ({ pipelines }: RunSummary): string => {
  const suspicious = pipelines.filter(({ outcomes }) => outcomes.suspicious_empty !== undefined)
  if (suspicious.length === 0) return ""
  const tasks = suspicious.reduce((sum, { outcomes }) => sum + (outcomes.suspicious_empty ?? 0), 0)
  const names = suspicious.map(({ name }) => name).join(", ")
  return ` ${counted(tasks, "suspicious empty response")} (${names}) where there were rows before: the rows stay, and the next run reads again.`
}
