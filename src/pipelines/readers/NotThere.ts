// What a user named does not exist: no such run, table, column or row.
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
