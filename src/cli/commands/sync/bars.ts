// A progress bar for each running pipeline at the bottom of the terminal; lines about what has finished or failed stay
// above the bars.
import { MultiBar, type SingleBar } from "cli-progress"
import { pipelineNames } from "../../../pipelines/pipelines.ts"
import type { ProgressEvent } from "../../../pipelines/model/progress.ts"
import { paintProgress } from "../../terminal/color.ts"
import { count } from "../../../domain/values/numbers.ts"
import { rendered, streams } from "../../terminal/output.ts"
import { retryText } from "../../words/retryText.ts"
import { paragraph, terminalWidth } from "../../terminal/terminal.ts"

interface Counter {
  readonly tasks: number
  readonly startedAt: number
  /** Created at the first response: a skipped or idle pipeline has no bar. */
  bar: SingleBar | undefined
  done: number
  rows: number
  requests: number
}

const newCounter = (tasks: number): Counter => ({
  tasks,
  startedAt: Date.now(),
  bar: undefined,
  done: 0,
  rows: 0,
  requests: 0,
})

const NAME_WIDTH = pipelineNames.reduce((max, name) => Math.max(max, name.length), 0)
const MAX_BAR = 16
const MIN_BAR = 3
// Everything in a line except its name and its bar.
const OTHER_WIDTH = 54
// Lines without a bar. More bars than lines would overlap, so the others wait until one is done.
const OTHER_LINES = 3

// Written before a line: after one that is as wide as the terminal it would erase its last character.
const ERASE_LINE = "\u001B[K"

const lineOf = (name: string, { tasks, startedAt, done, rows, requests }: Counter) => {
  const seconds = (Date.now() - startedAt) / 1000
  const left = done > 0 && done < tasks ? Math.ceil((seconds / done) * (tasks - done)) : undefined
  return {
    name: name.padEnd(NAME_WIDTH),
    tasks: `${done}/${tasks}`.padEnd(7),
    rows: count(rows).padStart(9),
    requests: String(requests).padStart(5),
    rate: count(Math.round(rows / Math.max(seconds, 0.1))).padStart(6),
    left: left === undefined ? "" : `${left} s left`,
  }
}

type LineText = (event: ProgressEvent) => string | undefined

/** `lineText` returns the lines that stay above the bars. */
export const bars = (lineText: LineText) => {
  const drawn = new Bars(terminalWidth("stderr"))
  const note = noteLine(drawn.multi)
  const counters = new Map<string, Counter>()

  const onProgress = (event: ProgressEvent): void => {
    const counter = "pipeline" in event ? counters.get(event.pipeline) : undefined
    switch (event.kind) {
      case "started":
        counters.set(event.pipeline, newCounter(event.tasks ?? 0))
        return
      case "page":
        if (counter === undefined) return
        counter.rows += event.rows
        counter.requests += event.requests
        drawn.update(event.pipeline, counter)
        return
      case "done":
        if (counter === undefined) return
        counter.done += 1
        drawn.update(event.pipeline, counter)
        return
      case "finished":
        if (counter !== undefined) drawn.finish(event.pipeline, counter)
        return
      case "run":
        lineText(event)
        return
      case "retry":
        note.show(rendered(retryText(event), "stderr"), event.waitSeconds)
        return
      default:
        drawn.addLine(lineText(event))
    }
  }
  const stop = (): void => {
    note.clear()
    drawn.stop()
  }
  return { onProgress, stop }
}

/** The bars on the terminal. */
class Bars {
  readonly multi: MultiBar
  readonly #width: number
  readonly #barsize: number
  #shown = 0

  constructor(width: number) {
    this.#width = width
    this.#barsize = Math.max(MIN_BAR, Math.min(MAX_BAR, width - NAME_WIDTH - OTHER_WIDTH))
    this.multi = new MultiBar({
      stream: streams().stderr,
      format: this.#isWide
        ? " {name} {bar} {tasks} {rows} rows {requests} req {rate}/s {left}"
        : " {name} {bar} {tasks} {rows} rows {left}",
      barsize: this.#barsize,
      hideCursor: true,
      clearOnComplete: true,
      fps: 8,
      barCompleteChar: "█",
      barIncompleteChar: "░",
    })
  }

  get #isWide(): boolean {
    return this.#width >= NAME_WIDTH + OTHER_WIDTH
  }

  addLine(text: string | undefined): void {
    if (text === undefined) return
    const lines = rendered(paintProgress(paragraph(text, 2, this.#width)), "stderr").split("\n")
    this.multi.log(lines.map((line) => `${ERASE_LINE}${line}\n`).join(""))
  }

  update(name: string, counter: Counter): void {
    if (counter.requests === 0) return
    if (counter.bar === undefined && this.#shown < (streams().stderr.rows ?? 24) - OTHER_LINES) {
      counter.bar = this.multi.create(counter.tasks, 0, lineOf(name, counter))
      this.#shown += 1
    }
    counter.bar?.update(counter.done, lineOf(name, counter))
  }

  /** Replaces the pipeline's bar by a line. */
  finish(name: string, counter: Counter): void {
    if (counter.bar !== undefined) {
      this.multi.remove(counter.bar)
      counter.bar = undefined
      this.#shown -= 1
    }
    if (counter.requests === 0) return
    const { tasks, rows, requests, rate, ...line } = lineOf(name, counter)
    const speed = this.#isWide ? ` ${requests} req ${rate}/s` : ""
    this.addLine(` ${line.name} ${"█".repeat(this.#barsize)} ${tasks} ${rows} rows${speed} done`)
  }

  stop(): void {
    // Draws the lines added since the last update.
    this.multi.update()
    this.multi.stop()
  }
}

// Long enough to read, and to avoid flickering while the same note is repeated.
const NOTE_SECONDS = 2

/** A line among the bars about the retry in progress. */
const noteLine = (multi: MultiBar) => {
  let line: SingleBar | undefined
  let timer: NodeJS.Timeout | undefined
  const clear = (): void => {
    clearTimeout(timer)
    if (line !== undefined) multi.remove(line)
    line = undefined
  }
  const show = (text: string, waitSeconds: number): void => {
    line ??= multi.create(1, 0, { text }, { format: " {text}" })
    line.update(0, { text })
    clearTimeout(timer)
    timer = setTimeout(clear, (waitSeconds + NOTE_SECONDS) * 1000).unref()
  }
  return { show, clear }
}
