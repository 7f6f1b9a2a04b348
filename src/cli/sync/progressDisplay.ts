// Progress of a run on standard error: bars on a terminal, lines elsewhere.
import { printError } from "../output.ts"
import { withSnakeKeys } from "../report.ts"
import { retryText, seldom } from "../retryText.ts"
import type { OnProgress, ProgressEvent } from "../../pipelines/model/progress.ts"
import { paintProgress } from "../color.ts"
import { bars } from "./bars.ts"

export interface Display {
  readonly onProgress: OnProgress
  readonly stop: () => void
}

export interface DisplayOptions {
  readonly show: boolean
  readonly json: boolean
  readonly terminal: boolean
}

export const progressDisplay = (options: DisplayOptions): Display => {
  if (!options.show) return { onProgress: () => undefined, stop: () => undefined }
  if (options.json) return lines((event) => JSON.stringify(withSnakeKeys(event)))
  return options.terminal
    ? bars((event) => (isShown(event) ? plainLine(event) : undefined))
    : lines((event) => paintProgress(plainLine(event)))
}

/** Not pages and successful tasks: the log of a run should be readable. */
const isShown = (event: ProgressEvent): boolean => {
  switch (event.kind) {
    case "page":
    case "done":
      return false
    case "task":
      return event.outcome === "failed" || event.outcome === "quarantined"
    default:
      return true
  }
}

const lines = (text: (event: ProgressEvent) => string): Display => {
  const isTime = seldom()
  return {
    onProgress: (event) => {
      if (event.kind === "retry" ? isTime() : isShown(event)) printError(`${text(event)}\n`)
    },
    stop: () => undefined,
  }
}

const plainLine = (event: ProgressEvent): string => {
  switch (event.kind) {
    case "started":
      return `${event.pipeline}: ${event.tasks ?? "?"} to read`
    case "finished":
      return `${event.pipeline}: done`
    case "retry":
      return `${event.endpoint}: ${retryText(event)}`
    case "warning":
      return `${event.pipeline}: warning: ${event.text}`
    case "task":
      return `${event.pipeline}: ${event.outcome}: ${event.text ?? event.entity}`
    case "stage":
      return `${event.stage} …`
    case "waiting":
      return event.text
    case "page":
    case "done":
      return ""
  }
}
