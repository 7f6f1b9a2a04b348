// What an answer that is no success means: its cause (§7), and the service's own words for it. Pure.
import { STATUS_CODES } from "node:http"
import * as Result from "effect/Result"
import type { ApiErrorReason } from "../domain/errors.ts"
import { isJsonObject, type ParsedJson } from "../domain/json.ts"
import type { Absence, AnyEndpoint } from "./Endpoint.ts"
import type { Exchange, Failure } from "./exchange.ts"
import { misnamed } from "./misnamed.ts"
import type { WireRequest, WireSettings } from "./request.ts"

type Parsed = Result.Result<ParsedJson, string>

/** What a refusal is understood by, beside itself. */
export interface Asked {
  readonly endpoint: AnyEndpoint
  readonly request: WireRequest
  readonly url: string
  readonly wire: WireSettings
  /** Something has come from below the configured `/platform/` segment before. */
  readonly isPlatformKnown: boolean
}

export const refusal = (asked: Asked, received: Exchange, parsed: Parsed): Failure => {
  const { endpoint, request, url, wire } = asked
  const { status, body, delaySeconds } = received
  if (status < 400) {
    // Redirects are not followed: the key must not travel, and data from elsewhere is not this service's.
    const detail = redirection(endpoint, url, received.location)
    return { reason: { _tag: "UnexpectedStatus" }, status, detail }
  }
  const detail = detailOf(status, body, parsed)
  const wrong =
    (status === 400 || status === 422) && Result.isSuccess(parsed)
      ? misnamed(endpoint, request, wire, parsed.success.plain)
      : undefined
  if (wrong !== undefined) {
    // Taken for an absence (§7) it would be one of everything, and remembered when the name is mended.
    const reason: ApiErrorReason = { _tag: wrong.isOfKey ? "Unauthorized" : "UnexpectedStatus" }
    return { reason, status, detail: `${detail}; ${wrong.detail}` }
  }
  const explained = isExplained(body, parsed)
  if (status === 404 && isOfPlatform(endpoint) && !asked.isPlatformKnown && !explained) {
    return {
      reason: { _tag: "NotFound", expected: false },
      status,
      detail: `${detail}: nothing below /${wire.platformSegment}/ has answered yet, so the path may be wrong; see platformSegment and the path of the base URL`,
    }
  }
  const reason = reasonOf(endpoint, status, delaySeconds, isPage(body, parsed))
  const absence = endpoint.absences?.["5xx with detail"]
  // What says when to come back, what speaks of now, and a gateway that gave up waiting mean no always.
  const isLasting =
    explained && status !== 504 && delaySeconds === undefined && !speaksOfNow.test(detail)
  return reason._tag === "ServerError" && absence !== undefined && isLasting
    ? {
        reason,
        status,
        detail,
        doubt: { sameness: sameness(status, detail), believed: absent(absence) },
      }
    : { reason, status, detail, delaySeconds }
}

/** Whether an answer tells about the configured `/platform/` segment. */
export const isOfPlatform = ({ path }: AnyEndpoint): boolean =>
  typeof path === "string" && path.startsWith("/platform/")

const speaksOfNow =
  /\btemporar|\b(try|trying) (it )?(again|later)|\btim(ed|e)? ?out|\boverload|\btoo many\b|\bmaintenance\b/i

/** The same for two answers that differ only in what they were asked about or when. */
const sameness = (status: number, detail: string): string =>
  `${status} ${detail.replaceAll(/0x[0-9a-f]+|\d+/gi, "")}`

// Refusals of the request as such, whatever it asks for.
const ownMeaning: ReadonlySet<number> = new Set([
  402, 405, 406, 407, 411, 413, 414, 415, 417, 421, 425, 426, 428, 431,
])

/** All answers of the service are JSON (§4): a page is that of something before it, or of nothing behind it. */
const isPage = (body: string, json: Parsed): boolean =>
  Result.isFailure(json) && body.trimStart().startsWith("<")

const absent = (absence: Absence): ApiErrorReason =>
  absence === "unsupported" ? { _tag: "Unsupported" } : { _tag: "NotFound", expected: true }

const reasonOf = (
  endpoint: AnyEndpoint,
  status: number,
  delaySeconds: number | undefined,
  isOfOthers: boolean,
): ApiErrorReason => {
  if (status === 401) return { _tag: "Unauthorized" }
  if (status === 403) return { _tag: "Forbidden" }
  // The service gave up waiting for the rest of the request.
  if (status === 408) return { _tag: "Transport" }
  if (status === 424) return { _tag: "DependencyFailed" }
  if (status === 429) return { _tag: "RateLimited", delaySeconds }
  const absence =
    endpoint.absences?.[status] ??
    (status < 500 && !ownMeaning.has(status) ? endpoint.absences?.["4xx"] : undefined)
  if (absence !== undefined && !isOfOthers) return absent(absence)
  if (status === 404) return { _tag: "NotFound", expected: false }
  return status >= 500 ? { _tag: "ServerError" } : { _tag: "UnexpectedStatus" }
}

/** Whether it says why: neither nothing, nor a page, nor the mere name of a status or of a path. */
const isExplained = (body: string, json: Result.Result<ParsedJson, string>): boolean => {
  if (isPage(body, json)) return false
  const words = Result.isSuccess(json) ? wordsOf(json.success.plain) : body
  const text =
    typeof words === "string"
      ? words
          .toLowerCase()
          .replace(/[^\p{L}]+/gu, " ")
          .trim()
      : ""
  return text !== "" && !bareErrors.has(text) && !ofPath.test(text)
}

const bareErrors: ReadonlySet<string> = new Set([
  ...Object.entries(STATUS_CODES)
    .filter(([status]) => Number(status) >= 400)
    .map(([, name = ""]) => name.toLowerCase()),
  "error",
  "server error",
  "unknown error",
  "unexpected error",
])

/** What frameworks say of a path that nothing answers. */
const ofPath =
  /^(cannot (get|post) |no (such )?route|((the )?(requested )?(route|path|page|url|resource|endpoint) .*|http )?not found$)/

const MAX_DETAIL = 300

export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line
}

const wordsOf = (parsed: unknown): unknown => {
  if (!isJsonObject(parsed)) return parsed
  const words = parsed["detail"] ?? parsed["message"] ?? parsed["error"] ?? parsed["title"]
  return isJsonObject(words) ? (wordsOf(words) ?? words) : words
}

/** The server's own words from an error body of any shape: its `detail`, a list of them, or a page. */
const detailOf = (
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

/** Where it points, and which setting may be why: on another origin the address, on this one the path. */
const redirection = (endpoint: AnyEndpoint, url: string, location: string | undefined): string => {
  const target = location === undefined ? null : URL.parse(location, url)
  const asked = new URL(url)
  if (target === null || target.origin !== asked.origin) {
    return `the service redirects to ${location ?? "another address"}; if that is where it lives now, set the base URL to it`
  }
  const setting =
    typeof endpoint.path !== "string"
      ? `paths.${endpoint.path.setting}`
      : endpoint.path.includes("/platform/")
        ? "platformSegment or the path of the base URL"
        : "the path of the base URL"
  return `the service redirects ${asked.pathname} to ${target.pathname} of the same address: the path asked for may be wrong, see ${setting}`
}
