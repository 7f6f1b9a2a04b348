// The result of a run: a table, its errors and a sentence.
import { isFailure, type RecordedOutcome } from "../../domain/outcome.ts"
import type { RunSummary } from "../../pipelines/model/progress.ts"
import { failuresText } from "../check/failuresText.ts"
import { type Meaning, paint, paintPart } from "../color.ts"
import { count, counted, duration } from "../numbers.ts"
import { outcomesOf, textTable } from "../table.ts"
import { paragraph, terminalWidth } from "../terminal.ts"

/** The order in which outcomes are listed. */
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

/** An error without its endpoint, subject, address and number of attempts: many share the rest. */
const reasonOf = (error: string): string =>
  error
    .replace(/^[a-z0-9_]+(?: for [^:]+)?: /, "")
    .replace(/^not sent: every request has failed since \S+ UTC: /, "")
    .replace(/, from https?:\S+/, "")
    .replace(/, after \d+ attempts$/, "")

/** The same for every request that fails in the same way, at whatever path. */
const causeOf = (error: string): string => reasonOf(error).replaceAll(/https?:\S+/g, "…")

/** A line for each reason. */
const skippedText = (pipelines: Pipelines): ReadonlyArray<string> => {
  const skipped = pipelines.filter((pipeline) => pipeline.skipped !== undefined)
  const idle = pipelines.filter(isIdle).filter((pipeline) => !skipped.includes(pipeline))
  const lines = [...Map.groupBy(skipped, (pipeline) => reasonOf(pipeline.skipped ?? ""))].map(
    ([reason, of]) => `  ${paragraph(`${namesOf(of)}: ${reason}`, 4)}`,
  )
  return [
    ...(lines.length > 0 ? ["", paint("Skipped:", "aside"), ...lines] : []),
    ...(idle.length > 0 ? ["", paragraph(`Nothing to read: ${namesOf(idle)}.`, 2)] : []),
  ]
}

const head = ["pipeline", "tasks", "new rows", "revised", "requests", "seconds"]

/** The outcomes of each pipeline, wrapped to the width. */
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

/** Equal errors once, with the pipelines that met them, and how many there are beyond those shown. */
const errorTexts = ({ pipelines, published }: RunSummary): ReadonlyArray<string> => {
  const errors = pipelines.flatMap(({ name, firstErrors }) =>
    firstErrors.map((error) => ({ name, error })),
  )
  if (errors.length === 0) return []
  const failures = pipelines
    .flatMap(({ outcomes: of }) => Object.entries(of) as Array<[RecordedOutcome, number]>)
    .reduce((sum, [outcome, tasks]) => sum + (isFailure(outcome) ? tasks : 0), 0)
  const groups = [...Map.groupBy(errors, ({ error }) => causeOf(error)).values()].map((same) => {
    const names = [...new Set(same.map(({ name }) => name))].join(", ")
    const times = same.length === 1 ? "" : ` (${same.length} times)`
    return `${names}${times}: ${same[0]?.error ?? ""}`
  })
  const more = failures - errors.length
  return [
    "",
    paint("Errors:", "bad"),
    ...groups.map((text) => `  ${paragraph(text, 4)}`),
    ...(more > 0
      ? [
          `  … and ${count(more)} more${published ? "; `vaulthouse runs show last` lists them" : ""}`,
        ]
      : []),
  ]
}

export const summaryText = (summary: RunSummary, dataDir: string): string => {
  const read = summary.pipelines.filter((pipeline) => !isIdle(pipeline) && !isSkipped(pipeline))
  return [
    ...(read.length > 0 ? [pipelinesTable(read)] : []),
    ...skippedText(summary.pipelines),
    ...errorTexts(summary),
    ...(summary.failedChecks.length > 0
      ? ["", "Failed checks:", failuresText(summary.failedChecks)]
      : []),
    "",
    paintPart(
      paragraph(outcomeText(summary, dataDir)),
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

/** The outcome of a run, in a sentence. */
export const outcomeText = (summary: RunSummary, dataDir: string): string => {
  const effort = `${counted(summary.requests, "request")}, ${duration(summary.seconds)}`
  const published = summary.published ? ` Published in ${dataDir}.` : ""
  switch (summary.outcome) {
    case "complete":
      return summary.nothingNew
        ? `Nothing new (${effort}).${published}${suspiciousText(summary)}`
        : `Complete: ${counted(summary.rowsInserted, "new row")}, ${count(summary.rowsRevised)} revised (${effort}).${published}${suspiciousText(summary)}`
    case "partial":
      return `Partial: ${partialReason(summary)}, the rest landed (${effort}).${published} The next sync reads what is missing.`
    case "deferred":
      return `Deferred: the service requires a wait ${delayText(summary)} (${effort}); what landed is kept.${published} Run sync again after that.`
    case "failed":
      return `Failed: nothing landed (${effort}).`
  }
}

const partialReason = ({ pipelines, keyRejected }: RunSummary): string =>
  keyRejected && pipelines.every(({ firstErrors }) => firstErrors.length === 0)
    ? "the API key was rejected"
    : "some tasks failed"

const delayText = ({ pipelines }: RunSummary): string => {
  const delay = Math.max(0, ...pipelines.map(({ delaySeconds = 0 }) => delaySeconds))
  return delay > 0 ? `of ${duration(delay)}` : "longer than a run allows"
}

/** Why an answer is empty where there were rows is for the reader to find out. */
const suspiciousText = ({ pipelines }: RunSummary): string => {
  const suspicious = pipelines.filter(({ outcomes: of }) => of.suspicious_empty !== undefined)
  if (suspicious.length === 0) return ""
  const tasks = suspicious.reduce((sum, of) => sum + (of.outcomes.suspicious_empty ?? 0), 0)
  const names = suspicious.map(({ name }) => name).join(", ")
  return ` ${count(tasks)} suspicious empty ${tasks === 1 ? "response" : "responses"} (${names}) where there were rows before: the rows stay, and the next run reads again.`
}
