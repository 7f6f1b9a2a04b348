// Why the PostgreSQL with a lake's catalog can't be used, as an error of the warehouse. Messages name the server without
// user and password.
import { LoadError } from "../errors.ts"
import { explainPostgres, PostgresError } from "../postgres/PostgresError.ts"

const REACHABLE =
  "Check that the server runs and can be reached. What was not committed is read again by the next run."

/** `shown` is the server and database, as they may be shown. */
export const catalogProblem = (shown: string, why: string, advice: string, cause?: unknown) =>
  new LoadError({ reason: "Catalog", what: `The lake's catalog ${shown}`, why, advice, cause })

export const catalogError = (shown: string, cause: unknown): LoadError => {
  if (cause instanceof LoadError) return cause
  const { why, advice = REACHABLE } = explainPostgres(innermost(cause))
  return catalogProblem(shown, why, advice, cause)
}

/** Effect's client wraps the server's error in two others. */
const innermost = (cause: unknown): unknown =>
  cause instanceof Error && cause.cause !== undefined && !(cause instanceof PostgresError)
    ? innermost(cause.cause)
    : cause
