// Finds out which of DuckDB's requests object storage refused, and why. DuckDB's extension httpfs reports it only in a
// message: the request with its address and status in one line, S3's own code and text in a later one.
import { type ObjectAction, explainRefusal } from "../../domain/stores/objectStoreRefusal.ts"

const REQUEST = /HTTP Error: .*?(s3:\/\/[^\s'":]*)/
const STATUS = /HTTP(?: code)? (\d{3})/
const REGION = /in region '([^']+)'/
const CODE = /^([A-Z]\w+): (.*)$/m

const actionOf = (text: string): ObjectAction => {
  if (text.includes("Unable to connect to URL")) return "write"
  return text.includes("LINE 1") ? "list" : "read"
}

/**
 * `undefined` for any other message. `place` replaces the object that the message names, if the request's target is
 * known.
 */
export const objectStoreProblem = (
  text: string,
  place?: string,
): { readonly why: string; readonly advice: string } | undefined => {
  const [request, location] = REQUEST.exec(text) ?? []
  if (request === undefined || location === undefined) return undefined
  const [first = "", ...others] = text.slice(text.indexOf(request)).split("\n")
  const [, code = "", message = ""] = CODE.exec(others.join("\n")) ?? []
  return explainRefusal({
    location: place ?? location,
    action: actionOf(text),
    status: Number(STATUS.exec(first)?.[1]),
    code,
    message,
    region: REGION.exec(first)?.[1] ?? "",
  })
}
