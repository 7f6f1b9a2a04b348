// Checks the values of --param against the parameters of the SQL.
import * as Effect from "effect/Effect"
import type { UsageError } from "../../../domain/UsageError.ts"
import { parameterNames, type QueryParameters } from "../../../domain/values/queryParameter.ts"
import { wrongUse } from "../../parse/errors.ts"

/** The given parameters; fails if the SQL does not use one of them. */
export const parametersFor = (
  sql: string,
  given: QueryParameters,
): Effect.Effect<QueryParameters, UsageError> => {
  const names = parameterNames(sql)
  const unused = Object.keys(given).find((name) => !names.has(name))
  if (unused === undefined) return Effect.succeed(given)
  const known = [...names].join(", ")
  return wrongUse(
    `--param ${unused}: the SQL has no parameter ${unused}.`,
    known === "" ? "It has no parameters." : `It has ${known}.`,
  )
}
