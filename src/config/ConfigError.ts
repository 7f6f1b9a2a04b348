// The error of a wrong configuration: every problem with its place.
import * as Data from "effect/Data"
import { readReason, writeReason } from "../domain/values/fileReason.ts"

export interface Place {
  /** `vaulthouse.config.yaml`, `--base-url` or `VAULTHOUSE_BASE_URL`. */
  readonly where: string
  /** Lines and columns count from 1. */
  readonly line?: number
  readonly column?: number
}

export interface ConfigProblem extends Place {
  readonly detail: string
}

/** `vaulthouse.config.yaml:3:5: what is wrong`, in the format of compilers. */
export const problemText = ({ where, line, column, detail }: ConfigProblem): string =>
  `${[where, line, column].filter((part) => part !== undefined).join(":")}: ${detail}`

// More would push the first ones off the screen.
const MAX_LINES = 6

/** The command ends with exit code 2. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly problems: ReadonlyArray<ConfigProblem>
  readonly advice?: string
}> {
  /** All problems in the order of the file, then the advice. */
  get lines(): ReadonlyArray<string> {
    return [...this.problemLines, ...(this.advice === undefined ? [] : [this.advice])]
  }

  override get message(): string {
    const { lines, problemLines: problems } = this
    if (problems.length <= MAX_LINES) return lines.join("\n")
    const hidden = problems.length - MAX_LINES + 1
    const more = `and ${hidden} more; \`vaulthouse config check\` lists all`
    return [...problems.slice(0, -hidden), more, ...lines.slice(problems.length)].join("\n")
  }

  private get problemLines(): ReadonlyArray<string> {
    return this.problems
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
      .map(problemText)
  }
}

// These say themselves that it can't be read.
const COMPLETE = new Set(["ENOENT", "ENOTDIR", "EISDIR"])

/** Why a file can't be read, from the file system's error. */
export const unreadable = (error: unknown): string =>
  `${COMPLETE.has(String((error as NodeJS.ErrnoException).code)) ? "" : "can't be read: "}${readReason(error)}`

/** The error of a configuration file that can't be written. */
export const unwritable = (file: string, error: unknown): ConfigError =>
  new ConfigError({
    problems: [{ where: file, detail: `can't be written: ${writeReason(error)}` }],
  })
