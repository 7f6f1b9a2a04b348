// What is wrong with the configuration: every problem, with its place.
import * as Data from "effect/Data"

export interface ConfigProblem {
  /** `vaulthouse.config.yaml`, `--base-url` or `VAULTHOUSE_BASE_URL`. */
  readonly where: string
  readonly line?: number
  readonly detail: string
}

/** The command ends with exit code 2. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly problems: ReadonlyArray<ConfigProblem>
  readonly advice?: string
}> {
  override get message(): string {
    const lines = this.problems
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
      .map(
        ({ where, line, detail }) =>
          `${line === undefined ? where : `${where}:${line}`}: ${detail}`,
      )
    const shown = lines.length > 6 ? [...lines.slice(0, 5), `and ${lines.length - 5} more`] : lines
    return [...shown, ...(this.advice === undefined ? [] : [this.advice])].join("\n")
  }
}
