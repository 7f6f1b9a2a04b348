// Runs the command in an empty folder, with no environment except what a test gives: within this process, or in one of
// its own where a test is about the process.
import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { commandLine } from "../../src/cli/commandLine.ts"
import { type Sink, useStreams } from "../../src/cli/terminal/output.ts"
import { home } from "../support/home.ts"
import { HANG_SECONDS } from "../support/until.ts"

export const bin = join(import.meta.dirname, "../../bin/vaulthouse")

/** Of commands that tests run. */
export const environment = { HOME: home, PATH: process.env["PATH"] }

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Around {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Standard output and error are a terminal this wide. */
  readonly columns?: number
}

/**
 * In a process of its own, and not waited for; standard input is closed, unless a test writes to it. `isGroup`: it leads a process
 * group, as what is started from a shell does.
 */
export const start = (
  args: ReadonlyArray<string>,
  { cwd, env = {}, stdin }: Around,
  { keepsInput = false, isGroup = false } = {},
) => {
  const child = spawn(bin, args, {
    cwd,
    env: { ...environment, ...env },
    detached: isGroup,
    // One that hangs must not outlive its test.
    timeout: 4 * HANG_SECONDS * 1000,
    killSignal: "SIGKILL",
  })
  if (!keepsInput) child.stdin.end(stdin)
  return child
}

/** A stream that keeps what is written to it. */
export const sink = (columns?: number): { readonly stream: Sink; readonly text: () => string } => {
  const chunks: Array<string> = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
  const terminal = columns === undefined ? {} : { isTTY: true, columns, hasColors: () => false }
  return { stream: Object.assign(stream, terminal), text: () => chunks.join("") }
}

// The folder, the environment and the streams are the process's: one command at a time.
let last: Promise<unknown> = Promise.resolve()

export const vaulthouse = (args: ReadonlyArray<string>, around: Around): Promise<Ended> => {
  const ended = last.then(() => runHere(args, around))
  last = ended.catch(() => undefined)
  return ended
}

const runHere = async (
  args: ReadonlyArray<string>,
  { cwd, env = {}, stdin = "", columns }: Around,
): Promise<Ended> => {
  const before = { cwd: process.cwd(), env: process.env }
  const [stdout, stderr] = [sink(columns), sink(columns)]
  process.chdir(cwd)
  process.env = { ...environment, ...env }
  useStreams({ stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream })
  try {
    const code = await commandLine(args)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    useStreams(process)
    process.env = before.env
    process.chdir(before.cwd)
  }
}

/** Whether this machine can stand in for a terminal. */
export const hasTerminal = ((): boolean => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

/** A program on a terminal of its own, so large; what it shows comes on standard output. */
export const runOnTerminal = (
  program: ReadonlyArray<string>,
  cwd: string,
  columns: number,
  rows: number,
) =>
  spawn(
    "script",
    ["-qec", `stty cols ${columns} rows ${rows}; ${program.join(" ")}`, "/dev/null"],
    { cwd, env: { ...environment, TERM: "xterm" }, timeout: HANG_SECONDS * 1000 },
  )

/** As `start`, on a terminal. */
export const startOnTerminal = (args: ReadonlyArray<string>, cwd: string, columns = 80) =>
  runOnTerminal([bin, ...args], cwd, columns, 24)

export const lines = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line !== "")

/** Text without the line breaks that its width made, which depend on the length of paths in it. */
export const unwrapped = (output: string): string => output.replaceAll(/\s+/g, " ")
