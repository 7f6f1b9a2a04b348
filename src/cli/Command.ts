// A command as a value: its help, its flags and its generated documentation derive from it. Handlers
// import their work when they run.
import type { Options } from "yargs"
import type { ExitCode } from "./exit.ts"

export type Arguments = Readonly<Record<string, unknown>>

export interface Positional {
  readonly name: string
  readonly describe: string
  readonly many?: true
  /** What none of it means, where there may be many. */
  readonly absent?: string
}

/** Settings that mean something to a command that sends nothing. */
export const readingSettings: ReadonlyArray<string> = [
  "config",
  "data-dir",
  "log-format",
  "log-level",
  "color",
]

/** And to one that asks the service a question or two. */
export const askingSettings: ReadonlyArray<string> = [
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
  /** Flags of settings that its help shows; every one where absent. */
  readonly settings?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [command: string, what: string]>
  readonly run: (argv: Arguments) => Promise<ExitCode>
}

/** A text flag or positional, where it was given. */
export const textOf = (argv: Arguments, name: string): string | undefined => {
  const value = argv[name]
  return typeof value === "string" ? value : undefined
}

/** Every value of a flag that may be repeated; commas separate too. */
export const textsOf = (argv: Arguments, name: string): ReadonlyArray<string> => {
  const value = argv[name]
  const given: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return given
    .filter((text) => typeof text === "string")
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "")
}
