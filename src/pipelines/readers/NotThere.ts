// The error of naming a run, table, column or row that does not exist.
import * as Data from "effect/Data"

/** The command ends with exit code 2. */
export class NotThere extends Data.TaggedError("NotThere")<{
  readonly why: string
  readonly advice: string
}> {
  override get message(): string {
    return `${this.why}\n${this.advice}`
  }
}
