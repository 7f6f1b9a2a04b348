// Checks the values of --param against the parameters of the SQL.
import * as Effect from "effect/Effect"
import type { UsageError } from "../../../domain/UsageError.ts"
import { type QueryParameters, unusedName } from "../../../domain/values/queryParameter.ts"
import { wrongUse } from "../../parse/errors.ts"

/** The given parameters; fails if the SQL does not use one of them. */
export const parametersFor = (
  sql: string,
  given: QueryParameters,
): Effect.Effect<QueryParameters, UsageError> => {
  const unused = unusedName(sql, Object.keys(given))
  return unused === undefined
    ? Effect.succeed(given)
    : wrongUse(`--param ${unused.name}: ${unused.why}`, unused.advice)
}
