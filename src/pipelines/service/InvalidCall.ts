// The error of a request that can't be made: no such endpoint or input, or a text that is not a valid value.
import * as Data from "effect/Data"

/** The command ends with exit code 2; nothing was sent. */
export class InvalidCall extends Data.TaggedError("InvalidCall")<{
  readonly why: string
  readonly advice: string
}> {
  override get message(): string {
    return `${this.why}\n${this.advice}`
  }
}
