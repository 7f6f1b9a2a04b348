// Everything a command prints goes through here. On a terminal, control characters are shown as escapes; files and
// pipes get the text unchanged. A reader that goes away never ends a run.
import { randomInt } from "node:crypto"
import type { Readable, Writable } from "node:stream"
import type { Severity } from "effect/LogLevel"
import { CONTROL, escaped } from "../../domain/values/visible.ts"
import { fileSink } from "./fileSink.ts"

export interface Sink extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly hasColors?: () => boolean
}

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Sink
  readonly stderr: Sink
}

export type StreamName = "stdout" | "stderr"

let stdout: Sink | undefined
let stderr: Sink | undefined
let current: Streams = {
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return (stdout ??= fileSink(1) ?? process.stdout)
  },
  get stderr() {
    return (stderr ??= fileSink(2, true) ?? process.stderr)
  },
}
let failure: Error | undefined
const guarded = new WeakSet<Sink>()
const closed = new WeakSet<Sink>()

/** Replaces the process's own streams, for tests. */
export const useStreams = (streams: Streams): void => {
  current = streams
  failure = undefined
}

export const streams = (): Streams => current

const sinkOf = (name: StreamName): Sink => {
  const sink = current[name]
  if (!guarded.has(sink)) {
    guarded.add(sink)
    sink.on("error", (error) => noteFailure(name, sink, error))
  }
  return sink
}

const noteFailure = (name: StreamName, sink: Sink, error: NodeJS.ErrnoException): void => {
  // EPIPE: the reader has left, as in `vaulthouse query … | head`; EIO: the terminal is gone.
  const isReaderGone = error.code === "EPIPE" || error.code === "EIO"
  if (name === "stdout" && !isReaderGone) failure ??= error
  // A result must not go on behind a gap. A log may: the disk that was full may have room for the next line.
  if (name === "stdout" || isReaderGone) closed.add(sink)
}

// Marks our own colours with a random number, which other text can't guess. Layout counts these escape sequences as
// nothing. They end in `y` because cli-table3 takes those that end in `m` for its own colours and closes them.
const MARK = `${randomInt(1000, 10_000)};${randomInt(1000, 10_000)}y`
const mark = String.raw`\u001B\[(\d+);${MARK}`
const marks = new RegExp(mark, "g")
const marksAndControls = new RegExp(`${mark}|${CONTROL}`, "g")

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] }

/** The text in a style; a terminal gets its escape sequences when the text is printed. */
export const styled = (text: string, style: keyof typeof codes): string => {
  const [on, off] = codes[style]
  return `\u001B[${on};${MARK}${text}\u001B[${off};${MARK}`
}

/** The text as it is written to the stream: on a terminal without control characters and bidirectional overrides. */
export const rendered = (text: string, name: StreamName = "stdout"): string =>
  text.replaceAll(
    current[name].isTTY === true ? marksAndControls : marks,
    (found, code: string | undefined) => (code === undefined ? escaped(found) : `\u001B[${code}m`),
  )

/** Escapes a text before it is laid out, so that its width is the width shown. */
export const shown = (text: string): string =>
  current.stdout.isTTY === true
    ? text
        .replaceAll("\t", "  ")
        .replaceAll(marksAndControls, (found, code) =>
          code === undefined ? escaped(found) : found,
        )
    : text

const write = (text: string, name: StreamName): boolean => {
  const sink = sinkOf(name)
  return closed.has(sink) || sink.write(rendered(text, name))
}

/** Prints results to standard output. */
export const print = (text: string): void => void write(text, "stdout")

type Copy = (text: string, severity: Severity) => void
let errorCopy: Copy | undefined

/** Also passes what is printed on standard error to `copy`, without colours; `undefined` ends that. */
export const copyErrors = (copy: Copy | undefined): void => {
  errorCopy = copy
}

/** Passes to the copy what is printed when it has ended. */
export const copyError = (text: string, severity: Severity): void =>
  errorCopy?.(text.replaceAll(marks, ""), severity)

/** Prints progress, warnings and complaints to standard error. */
export const printError = (text: string, severity: Severity = "Info"): void => {
  write(text, "stderr")
  copyError(text, severity)
}

/** Replaces the current line on a terminal's standard error. */
export const rewriteLine = (text: string): void => {
  const sink = sinkOf("stderr")
  if (!closed.has(sink)) sink.write(`\r${rendered(text, "stderr")}\u001B[K`)
}

/** Prints data as fast as it is read; false once the reader has left. */
export const printData = async (text: string): Promise<boolean> => {
  const sink = sinkOf("stdout")
  if (text !== "" && !write(text, "stdout")) {
    await new Promise<void>((resolve) => {
      const events = ["drain", "error", "close"] as const
      const done = (): void => {
        for (const event of events) sink.off(event, done)
        resolve()
      }
      for (const event of events) sink.on(event, done)
    })
  }
  return !closed.has(sink)
}

/** Waits until everything is written; returns the error if standard output failed. A reader that left is no failure. */
export const outputFailure = async (): Promise<Error | undefined> => {
  const sink = sinkOf("stdout")
  if (!closed.has(sink) && sink.writable) {
    await new Promise<void>((resolve) => void sink.write("", () => resolve()))
  }
  // The event comes later than the state.
  if (sink.errored) noteFailure("stdout", sink, sink.errored)
  return failure
}
