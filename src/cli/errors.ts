// What a command itself can find wrong: with the command line, or with what it was asked to read.
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

/** The published copy is missing, or refused a question. */
export class QueryError extends Data.TaggedError("QueryError")<{
  readonly why: string
  readonly advice?: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.advice === undefined ? this.why : `${this.why}\n${this.advice}`
  }
}
