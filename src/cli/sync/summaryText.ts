// How a run ended, in a table and a sentence.
import type { RecordedOutcome } from "../../domain/outcome.ts"
import type { RunSummary } from "../../pipelines/run/progress.ts"
import { failuresText } from "../check/failuresText.ts"
import { type Meaning, paint, paintPart } from "../color.ts"
import { counted } from "../counted.ts"
import { outcomesOf, textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

const count = (value: number): string => value.toLocaleString("en")

/** In this order, whichever came first. */
const places: Readonly<Record<RecordedOutcome, number>> = {
  loaded: 1,
  unchanged: 2,
  empty: 3,
  suspicious_empty: 4,
  unsupported: 5,
  skipped: 6,
  deferred: 7,
  quarantined: 8,
  failed: 9,
}

const outcomes = (of: RunSummary["pipelines"][number]["outcomes"]): string =>
  (Object.entries(of) as ReadonlyArray<[RecordedOutcome, number]>)
    .toSorted(([one], [other]) => places[one] - places[other])
    .map(([outcome, tasks]) => `${count(tasks)} ${outcome.replaceAll("_", " ")}`)
    .join(", ")

type Pipelines = RunSummary["pipelines"]

const isIdle = ({ outcomes: of }: Pipelines[number]): boolean => Object.keys(of).length === 0

const isSkipped = ({ outcomes: of, skipped }: Pipelines[number]): boolean =>
  skipped !== undefined && Object.keys(of).every((outcome) => outcome === "skipped")

const namesOf = (pipelines: Pipelines): string => pipelines.map(({ name }) => name).join(", ")

/** Without the endpoint and the subject that an error's message begins with: many share what follows. */
const reasonOf = ({ skipped = "" }: Pipelines[number]): string =>
  skipped.replace(/^[a-z0-9_]+(?: for [^:]+)?: /, "")

/** A line for each reason. */
const skippedText = (pipelines: Pipelines): ReadonlyArray<string> => {
  const skipped = pipelines.filter((pipeline) => pipeline.skipped !== undefined)
  const idle = pipelines.filter(isIdle).filter((pipeline) => !skipped.includes(pipeline))
  const lines = [...Map.groupBy(skipped, reasonOf)].map(
    ([reason, of]) => `  ${paragraph(`${namesOf(of)}: ${reason}`, 4)}`,
  )
  return [
    ...(lines.length > 0 ? ["", paint("Skipped:", "aside"), ...lines] : []),
    ...(idle.length > 0 ? ["", paragraph(`Nothing to ask: ${namesOf(idle)}.`, 2)] : []),
  ]
}

const head = ["pipeline", "tasks", "new rows", "revised", "requests", "seconds"]

/** What became of each pipeline; columns are wrapped to the width. */
export const pipelinesTable = (pipelines: Pipelines, width: number = terminalWidth()): string =>
  textTable(
    head,
    pipelines.map((pipeline) => [
      pipeline.name,
      outcomes(pipeline.outcomes),
      count(pipeline.rowsInserted),
      count(pipeline.rowsRevised),
      count(pipeline.requests),
      pipeline.seconds.toFixed(1),
    ]),
    ["left", "left", "right", "right", "right", "right"],
    width,
    outcomesOf(head, "tasks"),
  )

export const summaryText = (summary: RunSummary, dataDir: string): string => {
  const asked = summary.pipelines.filter((pipeline) => !isIdle(pipeline) && !isSkipped(pipeline))
  const table = pipelinesTable(asked)
  const errors = summary.pipelines.flatMap(({ name, firstErrors }) =>
    firstErrors.map((error) => `  ${paragraph(`${name}: ${error}`, 4)}`),
  )
  return [
    ...(asked.length > 0 ? [table] : []),
    ...skippedText(summary.pipelines),
    ...(errors.length > 0 ? ["", paint("What went wrong:", "bad"), ...errors] : []),
    ...(summary.failedChecks.length > 0
      ? ["", "Checks that failed:", failuresText(summary.failedChecks)]
      : []),
    "",
    paintPart(
      paragraph(closing(summary, dataDir)),
      /^(Nothing new|\w+)/,
      outcomeMeanings[summary.outcome],
    ),
    "",
  ].join("\n")
}

const outcomeMeanings: Readonly<Record<RunSummary["outcome"], Meaning>> = {
  complete: "good",
  partial: "warning",
  deferred: "warning",
  failed: "bad",
}

/** How the run ended, in a sentence. */
export const closing = (summary: RunSummary, dataDir: string): string => {
  const took = `${counted(summary.requests, "request")}, ${summary.seconds.toFixed(1)} s`
  const published = summary.published ? ` Published in ${dataDir}.` : ""
  switch (summary.outcome) {
    case "complete":
      return summary.nothingNew
        ? `Nothing new (${took}).${suspicion(summary)}`
        : `Complete: ${counted(summary.rowsInserted, "new row")}, ${count(summary.rowsRevised)} revised (${took}).${published}${suspicion(summary)}`
    case "partial":
      return `Partial: some tasks failed, the rest landed (${took}).${published} Run sync again: it asks only for what is missing.`
    case "deferred":
      return `Deferred: the service asked to wait longer than a run does (${took}); what landed is kept.${published} Run sync again later.`
    case "failed":
      return `Failed: nothing landed (${took}).`
  }
}

/** Why a question may have been answered with nothing that had rows before is for the reader to judge. */
const suspicion = ({ pipelines }: RunSummary): string => {
  const suspected = pipelines.filter((pipeline) => pipeline.outcomes.suspicious_empty !== undefined)
  if (suspected.length === 0) return ""
  const tasks = suspected.reduce((sum, of) => sum + (of.outcomes.suspicious_empty ?? 0), 0)
  const names = suspected.map(({ name }) => name).join(", ")
  return ` ${count(tasks)} suspicious empty ${tasks === 1 ? "answer" : "answers"} (${names}), where there were rows before: what was there is kept, and it is asked again next time.`
}
