// The type of a command, from which its help, flags and documentation are generated. A handler imports its work only
// when it runs.
import type { Options } from "yargs"
import type { NeededBy } from "../../domain/neededBy.ts"
import type { ExitCode } from "./exit.ts"

export type Arguments = Readonly<Record<string, unknown>>

/** The first argument with which a completion script of yargs asks for completions. */
export const COMPLETION_REQUEST = "--get-yargs-completions"

export interface Positional {
  readonly name: string
  readonly describe: string
  readonly many?: true
  /** What it means to leave out a positional that takes many values. */
  readonly absent?: string
}

/** A flag without a value. */
export const toggle = (describe: string): Options => ({ type: "boolean", describe })

/** A flag with a value. */
export const value = (describe: string, byDefault?: string): Options => ({
  type: "string",
  requiresArg: true,
  describe,
  ...(byDefault === undefined ? {} : { default: byDefault }),
})

/** A flag with a value that may be given more than once. */
export const values = (describe: string): Options => ({ ...value(describe), array: true })

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

/** The flag of commands that change what is published (`publishOptions`). */
export const publishFlag = {
  type: "boolean",
  default: true,
  describe: "Publish afterwards; --no-publish does not",
} satisfies Options

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
  /** In docs/cli.md. */
  readonly neededBy: NeededBy
  /** A longer text for the command's own help. */
  readonly details?: string
  readonly positional?: Positional
  readonly flags: Readonly<Record<string, Options>>
  /** Settings whose flags its help shows; absent: `readingSettings`. */
  readonly settings?: "all" | ReadonlyArray<string>
  readonly examples: ReadonlyArray<readonly [command: string, description: string]>
  readonly run: (argv: Arguments) => Promise<ExitCode>
}
