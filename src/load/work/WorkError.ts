// Why the processes that share a lake can't coordinate through its PostgreSQL. Messages name the server without user
// and password.
import * as Data from "effect/Data"
import { SqlError } from "effect/sql/SqlError"
import { postgresError } from "../postgres/PostgresError.ts"

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

/** Effect's client wraps the server's error in two others. */
const innermost = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause !== undefined ? innermost(cause.cause) : cause

export const workError = (target: string, cause: unknown): WorkError => {
  if (cause instanceof WorkError) return cause
  const { why, advice } = postgresError(target, innermost(cause))
  return new WorkError({ target, why, advice: advice.includes("publish") ? ADVICE : advice, cause })
}

/** PostgreSQL rolled the statement back because of a deadlock: it has changed nothing. */
export const isDeadlock = ({ cause }: WorkError): boolean =>
  cause instanceof SqlError && cause.reason._tag === "DeadlockError"
