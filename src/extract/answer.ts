// From an answer on the wire to a typed value or to the typed reason why there is none. Pure.
// Compiles schemas to code: a plain struct is checked 25 times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { STATUS_CODES } from "node:http"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { ApiErrorReason } from "../domain/errors.ts"
import { isJsonObject, type ParsedJson } from "../domain/json.ts"
import type { Violation } from "../domain/violation.ts"
import type { Absence, AnyEndpoint } from "./Endpoint.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Seconds to wait by `Retry-After` (seconds or a date), else by a rate-limit reset header. */
export const retryAfterSeconds = (headers: Headers, nowMillis: number): number | undefined => {
  const after = headers["retry-after"]
  if (after !== undefined) {
    const seconds = Number(after)
    if (Number.isFinite(seconds)) return Math.max(0, seconds)
    const at = Date.parse(after)
    if (!Number.isNaN(at)) return Math.max(0, (at - nowMillis) / 1000)
  }
  const reset = Number(headers["ratelimit-reset"] ?? headers["x-ratelimit-reset"] ?? Number.NaN)
  if (!Number.isFinite(reset)) return undefined
  // Some servers say seconds from now, some the epoch second.
  return Math.max(0, reset > 1e9 ? reset - nowMillis / 1000 : reset)
}

// Refusals that say something about the key, the pace or the server, whatever the endpoint.
const ownMeaning: ReadonlySet<number> = new Set([401, 403, 408, 424, 429])

const otherRefusal = (endpoint: AnyEndpoint, status: number): Absence | undefined =>
  status >= 400 && status < 500 && !ownMeaning.has(status) ? endpoint.absences?.["4xx"] : undefined

/** A server error that says why: neither nothing, nor a page, nor the mere name of a status. */
export const isExplained = (body: string, json: Result.Result<ParsedJson, string>): boolean => {
  if (Result.isFailure(json) && body.trimStart().startsWith("<")) return false
  const words = Result.isSuccess(json) ? wordsOf(json.success.plain) : body
  const text =
    typeof words === "string"
      ? words
          .toLowerCase()
          .replace(/[^a-z]+/g, " ")
          .trim()
      : ""
  return text !== "" && !bareErrors.has(text)
}

const bareErrors: ReadonlySet<string> = new Set([
  ...Object.entries(STATUS_CODES)
    .filter(([status]) => Number(status) >= 500)
    .map(([, name = ""]) => name.toLowerCase()),
  "error",
  "server error",
  "unknown error",
  "unexpected error",
])

/** The cause behind a status that is not 2xx (§7). */
export const reasonOf = (
  endpoint: AnyEndpoint,
  status: number,
  delaySeconds: number | undefined,
  explained = false,
): ApiErrorReason => {
  if (status === 401) return { _tag: "Unauthorized" }
  if (status === 403) return { _tag: "Forbidden" }
  // What says when to come back, and a gateway that gave up waiting, speak of now and not of always.
  const lasting = explained && status >= 500 && status !== 504 && delaySeconds === undefined
  const absence =
    endpoint.absences?.[status] ??
    (lasting ? endpoint.absences?.["5xx with detail"] : otherRefusal(endpoint, status))
  if (absence === "unsupported") return { _tag: "Unsupported" }
  if (status === 404 || absence === "empty") {
    return { _tag: "NotFound", expected: absence !== undefined }
  }
  if (status === 424) return { _tag: "DependencyFailed" }
  if (status === 429) return { _tag: "RateLimited", delaySeconds }
  return status >= 500 ? { _tag: "ServerError" } : { _tag: "UnexpectedStatus" }
}

const MAX_DETAIL = 300

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line
}

const wordsOf = (parsed: unknown): unknown =>
  isJsonObject(parsed) ? (parsed["detail"] ?? parsed["message"] ?? parsed["error"]) : parsed

/** The server's own words from an error body of any shape: its `detail`, a list of them, or a page. */
export const detailOf = (
  status: number,
  body: string,
  json: Result.Result<ParsedJson, string>,
): string => {
  if (Result.isFailure(json)) {
    const text = shorten(
      body.replace(/<(style|script)[\s\S]*?<\/\1>/gi, "").replace(/<[^>]+>/g, " "),
    )
    return text === "" ? `answered HTTP ${status} with an empty body` : text
  }
  const parsed = json.success.plain
  const detail = wordsOf(parsed) ?? parsed
  if (typeof detail === "string") return shorten(detail)
  if (Array.isArray(detail)) {
    return shorten(
      detail
        .map((item) =>
          isJsonObject(item) && typeof item["msg"] === "string"
            ? `${Array.isArray(item["loc"]) ? `${item["loc"].join(".")}: ` : ""}${item["msg"]}`
            : JSON.stringify(item),
        )
        .join("; "),
    )
  }
  return shorten(JSON.stringify(detail))
}

const pathText = (path: ReadonlyArray<unknown>): string =>
  path.reduce<string>((text, step) => {
    const key = isJsonObject(step) ? step["key"] : step
    return typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`
  }, "$")

const describeIssue = SchemaIssue.makeFormatterStandardSchemaV1()

// Built once per endpoint: building a parser costs more than a page.
const checks = new WeakMap<AnyEndpoint, (value: unknown) => boolean>()

const conforms = (endpoint: AnyEndpoint, value: unknown): boolean => {
  let check = checks.get(endpoint)
  if (check === undefined) {
    check = Schema.is(endpoint.response)
    checks.set(endpoint, check)
  }
  return check(value)
}

/** Found at the first mismatch, described only then: decoding with all errors is slow. */
const violationOf = (endpoint: AnyEndpoint, value: unknown): Violation => {
  const decoded = Schema.decodeUnknownResult(endpoint.response, { errors: "all" })(value)
  if (Result.isSuccess(decoded)) return { path: "$", detail: "does not match the documented shape" }
  const { issues } = describeIssue(decoded.failure.issue)
  const [first, ...others] = issues
  if (first === undefined) return { path: "$", detail: decoded.failure.message }
  const more = others.length > 0 ? ` (and ${others.length} more)` : ""
  return { path: pathText(first.path ?? []), detail: `${first.message}${more}` }
}

/**
 * The documented value in a parsed 200 body. Numbers beyond 2^53 come as `JSON.rawJSON`; unknown fields
 * stay. Fails with the path at which the body is not as documented.
 */
export const decode = <A>(
  endpoint: AnyEndpoint,
  parsed: Result.Result<ParsedJson, string>,
): Result.Result<A, Violation> => {
  if (Result.isFailure(parsed)) {
    return Result.fail({ path: "$", detail: `is not JSON: ${shorten(parsed.failure)}` })
  }
  const { plain, lossless } = parsed.success
  const locate = endpoint.locate ?? Result.succeed
  const value = locate(plain)
  if (Result.isFailure(value)) return Result.fail(value.failure)
  if (!conforms(endpoint, value.success)) return Result.fail(violationOf(endpoint, value.success))
  return (lossless === plain ? value : locate(lossless)) as Result.Result<A, Violation>
}
