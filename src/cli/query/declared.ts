// What a question is asked with: values it declares for itself in comments, `-- $days = 30  what it means`, and
// those of --param, which win.
import * as Result from "effect/Result"
import type { QueryParameters } from "../../pipelines/readers/published.ts"
import { UsageError } from "../errors.ts"
import { typedValue } from "./parameters.ts"

/** One a line, before or after anything else; the value ends at the first space outside quotes. */
const declaration = /^\s*--\s*\$(\w+) = ('[^']*'|"[^"]*"|\S+)/gm

export const declaredParameters = (sql: string): QueryParameters =>
  Object.fromEntries(
    [...sql.matchAll(declaration)].map(([, name = "", value = ""]) => [name, typedValue(value)]),
  )

/** Where they stand in quotes they are counted as well: DuckDB then says what is wrong. */
const namesIn = (sql: string): ReadonlySet<string> =>
  new Set([...sql.replaceAll(/--.*$/gm, "").matchAll(/\$(\w+)/g)].map(([, name = ""]) => name))

/** Of all values those the question has a place for: in a shell, many questions share them. */
export const parametersIn = (sql: string, given: QueryParameters): QueryParameters => {
  const names = namesIn(sql)
  return Object.fromEntries(
    Object.entries({ ...declaredParameters(sql), ...given }).filter(([name]) => names.has(name)),
  )
}

/** A declaration nothing uses is left out; a value that was typed for nothing is a mistake. */
export const parametersFor = (
  sql: string,
  given: QueryParameters,
): Result.Result<QueryParameters, UsageError> => {
  const names = namesIn(sql)
  const stray = Object.keys(given).find((name) => !names.has(name))
  if (stray !== undefined) {
    const known = [...names].map((name) => `$${name}`).join(", ")
    return Result.fail(
      new UsageError({
        why: `--param ${stray}: the SQL has no $${stray}.`,
        advice: known === "" ? "It has no parameters." : `It has ${known}.`,
      }),
    )
  }
  return Result.succeed(parametersIn(sql, given))
}
