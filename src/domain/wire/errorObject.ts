// An error that a service sends in place of data.
import { isJsonObject } from "../values/json.ts"

const errorFields: ReadonlySet<string> = new Set(["error", "errors", "detail"])
const besideErrors: ReadonlySet<string> = new Set([
  "code",
  "data",
  "message",
  "path",
  "result",
  "status",
  "statusCode",
  "status_code",
  "success",
  "timestamp",
  "title",
  "type",
])

/**
 * Whether a body says that something failed, and nothing else, although its status does not. Where the document leaves the
 * fields of a record open, it would become a row without values, and end the row stored before.
 */
export const isErrorObject = (body: unknown): boolean => {
  if (!isJsonObject(body)) return false
  const given = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
  return (
    given.some(([name, value]) => errorFields.has(name) && isExplanation(value)) &&
    given.every(([name, value]) => errorFields.has(name) || isAside(name, value))
  )
}

/** Not a number or flag, which some service may name so. */
const isExplanation = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null)

const isAside = (name: string, value: unknown): boolean =>
  besideErrors.has(name) && typeof value !== "object"
