// Progress of a run on standard error: a bar per pipeline on a terminal, lines elsewhere.
import { MultiBar, type SingleBar } from "cli-progress"
import { pipelineNames } from "../../pipelines/catalog.ts"
import { retryText, seldom } from "../retryText.ts"
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

interface Counter {
  readonly tasks: number
  /** From the first answer on: what is skipped or has nothing to ask shows none. */
  bar: SingleBar | undefined
  readonly startedAt: number
  seen: number
  rows: number
  requests: number
}

const NAME_WIDTH = pipelineNames.reduce((max, name) => Math.max(max, name.length), 0)

const bars = (): Display => {
  const multi = new MultiBar({
    stream: process.stderr,
    format:
      " {name} {bar} {value}/{total}  {rows} rows  {requests} requests  {rate} rows/s  {left}",
    barsize: 16,
    hideCursor: true,
    clearOnComplete: false,
    fps: 8,
    barCompleteChar: "█",
    barIncompleteChar: "░",
  })
  const counters = new Map<string, Counter>()
  const note = noteBelow(multi)
  const update = (name: string, counter: Counter): void => {
    counter.bar ??= multi.create(counter.tasks, 0, { name: name.padEnd(NAME_WIDTH) })
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
      case "retry":
        note.show(retryText(event), event.waitSeconds)
        return
      case "started":
        counters.set(event.pipeline, {
          tasks: event.tasks ?? 0,
          bar: undefined,
          startedAt: Date.now(),
          seen: 0,
          rows: 0,
          requests: 0,
        })
        return
      case "page":
        if (counter === undefined) return
        counter.rows += event.rows
        counter.requests += event.requests
        if (event.requests > 0 || counter.bar !== undefined) update(event.pipeline, counter)
        return
      case "settled":
        if (counter === undefined) return
        counter.seen += 1
        if (counter.bar !== undefined) update(event.pipeline, counter)
        return
      case "task":
        if (isNews(event)) multi.log(`${plainLine(event)}\n`)
        return
      case "finished":
        counter?.bar?.update(counter.bar.getTotal(), { left: "done" })
        return
      case "warning":
      case "stage":
        multi.log(`${plainLine(event)}\n`)
    }
  }
  const stop = (): void => {
    note.clear()
    multi.stop()
  }
  return { onProgress, stop }
}

// A note is read before it goes, and stays while the same is told again and again.
const NOTE_SECONDS = 2

/** A line among the bars that says what is waited for, while it is. */
const noteBelow = (multi: MultiBar) => {
  let line: SingleBar | undefined
  let gone: NodeJS.Timeout | undefined
  const clear = (): void => {
    clearTimeout(gone)
    if (line !== undefined) multi.remove(line)
    line = undefined
  }
  const show = (text: string, waitSeconds: number): void => {
    line ??= multi.create(1, 0, { text }, { format: " {text}" })
    line.update(0, { text })
    clearTimeout(gone)
    gone = setTimeout(clear, (waitSeconds + NOTE_SECONDS) * 1000).unref()
  }
  return { show, clear }
}
