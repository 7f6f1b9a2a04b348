// Why the processes that share a lake can't agree through its PostgreSQL. Messages name the server without user and password.
import * as Data from "effect/Data"

export class WorkError extends Data.TaggedError("WorkError")<{
  /** The server and database, as they may be shown. */
  readonly target: string
  readonly why: string
  readonly advice: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `The work of this lake can't be shared through ${this.target}: ${this.why}. ${this.advice}`
  }
}

const ADVICE =
  "What was committed stays. Check that the server is up and that this user may create a schema there, then start again."

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Effect's client keeps what the server said behind two causes. */
const innermost = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause !== undefined ? innermost(cause.cause) : cause

export const workError = (target: string, cause: unknown): WorkError =>
  cause instanceof WorkError
    ? cause
    : new WorkError({
        target,
        why: textOf(innermost(cause)).trim().replace(/[.!]$/, ""),
        advice: ADVICE,
        cause,
      })
