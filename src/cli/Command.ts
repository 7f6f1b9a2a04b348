// A command as a value: its help, its flags and its generated documentation derive from it. Handlers
// import their work when they run.
import type { Options } from "yargs"
import type { ExitCode } from "./exit.ts"

export type Arguments = Readonly<Record<string, unknown>>

/** The first argument of a request from a completion script, as yargs writes them. */
export const COMPLETION_REQUEST = "--get-yargs-completions"

export interface Positional {
  readonly name: string
  readonly describe: string
  readonly many?: true
  /** What leaving it out means, where there may be many. */
  readonly absent?: string
}

/** Settings that apply to a command that reads the published copy. */
export const readingSettings: ReadonlyArray<string> = [
  "config",
  "data-dir",
  "log-format",
  "log-level",
  "color",
]

/** Settings that apply to a command that opens the warehouse or its archive. */
export const warehouseSettings: ReadonlyArray<string> = ["warehouse", ...readingSettings]

/** Settings that apply to a command that sends a few requests. */
export const requestingSettings: ReadonlyArray<string> = [
  "base-url",
  "platform-segment",
  "max-requests-per-second",
  "request-timeout",
  ...readingSettings,
]

export interface Command {
  readonly name: string
  readonly summary: string
  /** More than the summary, for the command's own help. */
  readonly details?: string
  readonly positional?: Positional
  readonly flags: Readonly<Record<string, Options>>
  /** Settings whose flags its help shows; absent: `readingSettings`. */
  readonly settings?: "all" | ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [command: string, what: string]>
  readonly run: (argv: Arguments) => Promise<ExitCode>
}
