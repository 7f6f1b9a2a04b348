// Progress of a run on standard error: a bar per pipeline on a terminal, lines elsewhere.
import { retryText, seldom } from "../retryText.ts"
import type { OnProgress, ProgressEvent } from "../../pipelines/run/progress.ts"
import { paintNews } from "../color.ts"
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
  if (options.json) return lines((event) => JSON.stringify(event))
  return options.terminal
    ? bars((event) => (isNews(event) ? plainLine(event) : undefined))
    : lines((event) => paintNews(plainLine(event)))
}

const write = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Pages and good tasks go by in silence: a batch run's log should be readable. */
const isNews = (event: ProgressEvent): boolean => {
  switch (event.kind) {
    case "page":
    case "settled":
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
      if (event.kind === "retry" ? isTime() : isNews(event)) write(text(event))
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
    case "page":
    case "settled":
      return ""
  }
}
