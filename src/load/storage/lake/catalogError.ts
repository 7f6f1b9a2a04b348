// Why the PostgreSQL with a lake's catalog can't be used, as an error of the warehouse. Messages name the server without
// user and password.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { PersistedQueueError } from "effect/persistence/PersistedQueue"
import { MigrationError } from "effect/sql/Migrator"
import { SqlError } from "effect/sql/SqlError"
import { LoadError, PostgresError } from "../../errors.ts"
import { explainPostgres } from "../../postgres/explainPostgres.ts"

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

/** Effect's client wraps the server's error in two others, and its queue that in a cause. */
const innermost = (cause: unknown): unknown => {
  if (Cause.isCause(cause)) return innermost(Cause.squash(cause))
  return cause instanceof Error && cause.cause !== undefined && !(cause instanceof PostgresError)
    ? innermost(cause.cause)
    : cause
}

type ClientError = SqlError | MigrationError | PersistedQueueError

export const isOfClient = (error: unknown): error is ClientError =>
  error instanceof SqlError ||
  error instanceof MigrationError ||
  error instanceof PersistedQueueError

/**
 * Effect's client ends with a defect where a rollback or a migration of its own fails, as it does on a lost connection:
 * here these are failures like any other.
 */
export const withoutDefects = <A, E, R>(
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | ClientError, R> =>
  Effect.catchDefect(work, (defect) =>
    isOfClient(defect) ? Effect.fail(defect) : Effect.die(defect),
  )
