// What a command itself can find wrong with what was typed.
import * as Data from "effect/Data"

/** The command line is wrong; the command ends with exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly why: string
  readonly advice?: string
}> {
  override get message(): string {
    return this.advice === undefined ? this.why : `${this.why}\n${this.advice}`
  }
}
