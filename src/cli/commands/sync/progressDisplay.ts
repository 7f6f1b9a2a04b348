// Progress of a run on standard error: bars on a terminal, elsewhere a log with one line per pipeline.
import { causeOf, reasonOf } from "../../../domain/values/errorText.ts"
import { isFailure, type RecordedOutcome } from "../../../domain/run/outcome.ts"
import type {
  OnProgress,
  PipelineSummary,
  ProgressEvent,
  RunSummary,
} from "../../../pipelines/model/progress.ts"
import { paintProgress } from "../../terminal/color.ts"
import { isPretty, type LogLine, type LogSettings, printLine } from "../../execute/logLine.ts"
import { duration } from "../../words/numbers.ts"
import { retryText, lineTimer } from "../../words/retryText.ts"
import { bars } from "./bars.ts"
import { count, counted } from "../../../domain/values/numbers.ts"

export interface Display {
  readonly onProgress: OnProgress
  /** Prints the last line. */
  readonly ended: (summary: RunSummary) => void
  readonly stop: () => void
}

export interface DisplayOptions {
  readonly show: boolean
  readonly log: LogSettings
  readonly terminal: boolean
}

const ignore = (): void => undefined

export const progressDisplay = (options: DisplayOptions): Display => {
  if (!options.show) return { onProgress: ignore, ended: ignore, stop: ignore }
  const lineOf = progressLines()
  if (options.terminal) {
    // The bars already show that a pipeline is done.
    const display = bars((event) =>
      event.kind === "finished" ? undefined : lineOf(event)?.message,
    )
    return { ...display, ended: ignore }
  }
  const print = (line: LogLine | undefined): void => {
    if (line === undefined) return
    const message = isPretty(options.log) ? paintProgress(line.message) : line.message
    printLine({ ...line, message }, options.log)
  }
  return {
    onProgress: (event) => print(lineOf(event)),
    ended: (summary) => print(endLine(summary)),
    stop: ignore,
  }
}

/**
 * Returns a function that turns an event into a line of the log, or none. Each pipeline has a line for its first
 * failure or warning, unless a failure with the same cause had one before; a few retries have progressLines.
 */
export const progressLines = () => {
  const isTime = lineTimer()
  const seen = new Set<string>()
  const isFirst = (pipelineOrCause: string): boolean => {
    if (seen.has(pipelineOrCause)) return false
    seen.add(pipelineOrCause)
    return true
  }
  const isNewFailure = (pipeline: string, text: string): boolean =>
    isFirst(pipeline) && isFirst(causeOf(text))
  let runId: string | undefined
  const lineOf = (event: ProgressEvent): LogLine | undefined => {
    switch (event.kind) {
      case "run":
        ;({ runId } = event)
        return undefined
      case "started":
      case "page":
      case "done":
        return undefined
      case "finished":
        return finishedLine(event.summary)
      case "task":
        return isFailure(event.outcome) && isNewFailure(event.pipeline, event.text ?? event.outcome)
          ? {
              level: "WARN",
              message: `${event.pipeline}: ${event.outcome}: ${event.text ?? event.entity}`,
            }
          : undefined
      case "warning":
        return isFirst(event.pipeline)
          ? { level: "WARN", message: `${event.pipeline}: warning: ${event.text}` }
          : undefined
      case "retry":
        return isTime()
          ? { level: "WARN", message: `${event.endpoint}: ${retryText(event)}` }
          : undefined
      case "stage":
        return { level: "INFO", message: `${event.stage} …` }
      case "waiting":
      case "note":
        return { level: "INFO", message: event.text }
    }
  }
  return (event: ProgressEvent): LogLine | undefined => {
    const line = lineOf(event)
    return line === undefined ? undefined : { ...line, fields: { runId, ...fieldsOf(event) } }
  }
}

/** Leaves out the text, which is in the message. */
const fieldsOf = (event: ProgressEvent): Readonly<Record<string, unknown>> => {
  if (event.kind === "finished") {
    const { name: _name, title: _title, firstErrors: _errors, ...summary } = event.summary
    return { kind: event.kind, pipeline: event.pipeline, ...summary }
  }
  return { ...event, text: undefined }
}

const newsText = (rowsInserted: number, rowsRevised: number): string =>
  rowsInserted + rowsRevised === 0
    ? "nothing new"
    : `${counted(rowsInserted, "new row")}, ${count(rowsRevised)} revised`

/** The line of a pipeline that was read. */
const finishedLine = (pipeline: PipelineSummary): LogLine | undefined => {
  const { name, outcomes, rowsInserted, rowsRevised, requests, seconds, skipped } = pipeline
  const all = Object.entries(outcomes) as Array<[RecordedOutcome, number]>
  const unread = all.filter(([outcome]) => isUnread(outcome))
  if (requests === 0 && unread.every(([outcome]) => outcome === "skipped")) return undefined
  const parts = [
    // Of what was not read, nobody knows whether it is new.
    ...(unread.length === all.length ? [] : [newsText(rowsInserted, rowsRevised)]),
    counted(requests, "request"),
    duration(seconds),
    ...unread.map(([outcome, tasks]) => `${counted(tasks, "task")} ${outcome}`),
  ]
  const why = skipped === undefined ? "" : `: ${reasonOf(skipped)}`
  return {
    // A key without access to something, such as other curators' vaults, is no reason to warn in each run.
    level: unread.every(([outcome]) => outcome === "skipped") ? "INFO" : "WARN",
    message: `${name}: ${parts.join(", ")}${why}`,
  }
}

const isUnread = (outcome: RecordedOutcome): boolean =>
  isFailure(outcome) || outcome === "deferred" || outcome === "skipped"

const levels: Readonly<Record<RunSummary["outcome"], LogLine["level"]>> = {
  complete: "INFO",
  partial: "WARN",
  deferred: "WARN",
  failed: "ERROR",
}

const endLine = (summary: RunSummary): LogLine => {
  const { runId, outcome, rowsInserted, rowsRevised, requests, seconds, published } = summary
  return {
    level: levels[outcome],
    message: `sync: ${outcome}: ${newsText(rowsInserted, rowsRevised)}, ${counted(requests, "request")}, ${duration(seconds)}${published ? ", published" : ""}`,
    fields: {
      runId,
      kind: "ended",
      outcome,
      rowsInserted,
      rowsRevised,
      requests,
      seconds,
      published,
    },
  }
}
