// Progress of a run on standard error: a bar per pipeline on a terminal, lines elsewhere.
import { MultiBar, type SingleBar } from "cli-progress"
import type { OnProgress, ProgressEvent } from "../../pipelines/progress.ts"

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
  return options.terminal ? bars() : lines(plainLine)
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

const lines = (text: (event: ProgressEvent) => string): Display => ({
  onProgress: (event) => {
    if (isNews(event)) write(text(event))
  },
  stop: () => undefined,
})

const plainLine = (event: ProgressEvent): string => {
  switch (event.kind) {
    case "started":
      return `${event.pipeline}: ${event.tasks ?? "?"} to read`
    case "finished":
      return `${event.pipeline}: done`
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

interface Counter {
  readonly bar: SingleBar
  readonly startedAt: number
  seen: number
  rows: number
  requests: number
}

const bars = (): Display => {
  const multi = new MultiBar({
    stream: process.stderr,
    format:
      " {name} {bar} {value}/{total}  {rows} rows  {requests} requests  {rate} rows/s  {left}",
    barsize: 24,
    hideCursor: true,
    clearOnComplete: false,
    fps: 8,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  })
  const counters = new Map<string, Counter>()
  const update = (counter: Counter): void => {
    const seconds = (Date.now() - counter.startedAt) / 1000
    const done = counter.seen
    const total = counter.bar.getTotal()
    const left =
      done > 0 && done < total ? `${Math.ceil((seconds / done) * (total - done))} s left` : ""
    counter.bar.update(done, {
      rows: counter.rows.toLocaleString("en"),
      requests: counter.requests,
      rate: Math.round(counter.rows / Math.max(seconds, 0.1)).toLocaleString("en"),
      left,
    })
  }
  const onProgress = (event: ProgressEvent): void => {
    const counter = "pipeline" in event ? counters.get(event.pipeline) : undefined
    switch (event.kind) {
      case "started": {
        const name = event.pipeline.padEnd(18)
        const bar = multi.create(event.tasks ?? 0, 0, {
          name,
          rows: "0",
          requests: 0,
          rate: "0",
          left: "",
        })
        counters.set(event.pipeline, {
          bar,
          startedAt: Date.now(),
          seen: 0,
          rows: 0,
          requests: 0,
        })
        return
      }
      case "page":
        if (counter === undefined) return
        counter.rows += event.rows
        counter.requests += event.requests
        update(counter)
        return
      case "settled":
        if (counter === undefined) return
        counter.seen += 1
        update(counter)
        return
      case "task":
        if (isNews(event)) multi.log(`${plainLine(event)}\n`)
        return
      case "finished":
        if (counter === undefined) return
        counter.bar.update(counter.bar.getTotal(), { left: "done" })
        return
      case "warning":
      case "stage":
        multi.log(`${plainLine(event)}\n`)
    }
  }
  return { onProgress, stop: () => multi.stop() }
}
