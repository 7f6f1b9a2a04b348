// Values a question declares for itself in its comments, `-- $days = 30  what it means`: what --param leaves out.
import type { QueryParameters } from "../../pipelines/published.ts"
import { typedValue } from "./parameters.ts"

/** One a line, before or after anything else; the value ends at the first space outside quotes. */
const declaration = /^\s*--\s*\$(\w+) = ('[^']*'|"[^"]*"|\S+)/gm

export const declaredParameters = (sql: string): QueryParameters =>
  Object.fromEntries(
    [...sql.matchAll(declaration)].map(([, name = "", value = ""]) => [name, typedValue(value)]),
  )
