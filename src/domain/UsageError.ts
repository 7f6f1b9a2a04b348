// The error of a user who asks for what can't be done: something that does not exist, or an input that is not valid.
import * as Data from "effect/Data"

/** Nothing was done. The command ends with exit code 2, and a page with 404. */
export class UsageError extends Data.TaggedError("UsageError")<{
  readonly why: string
  readonly advice?: string
}> {
  override get message(): string {
    return this.advice === undefined ? this.why : `${this.why}\n${this.advice}`
  }
}
