// Runs the real command in a process of its own, in an empty folder, with no environment but what a test gives.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"

export const bin = join(import.meta.dirname, "../../bin/vaulthouse")

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Around {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/** Started and not waited for; standard input is closed unless a test writes to it. */
export const start = (args: ReadonlyArray<string>, { cwd, env = {}, stdin }: Around) => {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { HOME: cwd, ...env },
    // One that hangs must not outlive its test.
    timeout: 55_000,
    killSignal: "SIGKILL",
  })
  child.stdin.end(stdin)
  return child
}

export const vaulthouse = async (args: ReadonlyArray<string>, around: Around): Promise<Ended> => {
  const child = start(args, around)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
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
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  columns: number,
  rows: number,
) =>
  spawn(
    "script",
    [
      "-qec",
      `stty cols ${columns} rows ${rows}; ${[process.execPath, program, ...args].join(" ")}`,
      "/dev/null",
    ],
    { cwd, env: { PATH: process.env["PATH"], HOME: cwd, TERM: "xterm" }, timeout: 55_000 },
  )

/** As `start`, on a terminal. */
export const startOnTerminal = (args: ReadonlyArray<string>, cwd: string, columns = 80) =>
  runOnTerminal(bin, args, cwd, columns, 24)

export const lines = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line !== "")
