// What is wrong with the configuration: every problem, with its place.
import * as Data from "effect/Data"

export interface Place {
  /** `vaulthouse.config.yaml`, `--base-url` or `VAULTHOUSE_BASE_URL`. */
  readonly where: string
  /** From 1, as is the column. */
  readonly line?: number
  readonly column?: number
}

export interface ConfigProblem extends Place {
  readonly detail: string
}

/** `vaulthouse.config.yaml:3:5: what is wrong`, as compilers write it. */
export const problemText = ({ where, line, column, detail }: ConfigProblem): string =>
  `${[where, line, column].filter((part) => part !== undefined).join(":")}: ${detail}`

/** The command ends with exit code 2. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly problems: ReadonlyArray<ConfigProblem>
  readonly advice?: string
}> {
  override get message(): string {
    const lines = this.problems
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
      .map(problemText)
    const shown = lines.length > 6 ? [...lines.slice(0, 5), `and ${lines.length - 5} more`] : lines
    return [...shown, ...(this.advice === undefined ? [] : [this.advice])].join("\n")
  }
}
