// Interprets an error response: its reason by status (§7), and the service's message.
import * as Result from "effect/Result"
import type { ApiErrorReason } from "../domain/wire/errors.ts"
import { isJsonObject, type ParsedJson } from "../domain/values/json.ts"
import { proxyText } from "../domain/wire/proxies.ts"
import type { Absence, AnyEndpoint } from "./Endpoint.ts"
import type { ReceivedResponse } from "./http/exchange.ts"
import type { Parameter } from "./Parameter.ts"
import { sentNames, type WireSettings, wireName } from "./request.ts"
import type { Failure } from "./retry.ts"
import { statusText } from "./http/statusText.ts"

type Parsed = Result.Result<ParsedJson, string>

/** The request that a response belongs to. */
export interface RequestContext {
  readonly endpoint: AnyEndpoint
  readonly url: URL
  readonly body: string | undefined
  readonly wire: WireSettings
  readonly hasKey: boolean
  /** Whether a path with the configured `/platform/` segment has succeeded before, so that the segment is right. */
  readonly isPlatformConfirmed: boolean
}

/** The failure described by a response of status 300 or more. */
export const errorFrom = (
  context: RequestContext,
  response: ReceivedResponse,
  parsed: Parsed,
): Failure => {
  const { endpoint, url } = context
  const { status, delaySeconds, forwardedBy } = response
  if (status < 400) return redirect(context, response)
  const text = detailOf(parsed)
  const from = forwardedBy === undefined ? "" : `, perhaps from the proxy ${proxyText(forwardedBy)}`
  const detail = text ?? `${pageText(response.text) ?? statusText(status) ?? "no body"}${from}`
  // A message other than the name of the status or the unknown path shows that the endpoint itself responded. A body
  // without a text has none.
  const isExplained =
    text !== undefined &&
    Result.isSuccess(parsed) &&
    textsIn(parsed.success.plain).some((each) => each.trim() !== "") &&
    normalized(text) !== normalized(statusText(status) ?? "") &&
    !text.includes(url.pathname)
  const problem = status === 400 || status === 422 ? requestProblem(context, parsed) : undefined
  if (problem !== undefined) {
    return { reason: problem.reason, status, detail: `${detail}; ${problem.detail}` }
  }
  const isUnconfirmed = hasPlatformSegment(endpoint) && !context.isPlatformConfirmed && !isExplained
  const isFromService = Result.isSuccess(parsed) || response.text.trim() === ""
  // It needs no key (§5), so the run would miss what is for everybody, and end well. With a key, the service may refuse that.
  const isRefusal = status === 401 || status === 403
  if (isRefusal && endpoint.auth === "public" && !(context.hasKey && isFromService)) {
    const why = "no key is needed there, so perhaps a firewall or proxy refused"
    return {
      reason: { _tag: "UnexpectedStatus" },
      status,
      detail: `${detail}, from ${url.href}; ${why}`,
    }
  }
  const reason = reasonOf(endpoint, status, delaySeconds, isFromService && !isUnconfirmed)
  if (reason._tag === "NotFound" && !reason.expected) {
    return { reason, status, detail: `${detail}: ${wrongPath(endpoint, url)}` }
  }
  if (reason._tag === "UnexpectedStatus") {
    return { reason, status, detail: `${detail}, from ${url.href}` }
  }
  const absence = endpoint.absences?.["5xx with detail"]
  return reason._tag === "ServerError" && absence !== undefined && isExplained && !delaySeconds
    ? { reason, status, detail, reasonIfRepeated: absenceReason(absence) }
    : { reason, status, detail, delaySeconds }
}

/** Whether the endpoint's path contains the configured `/platform/` segment. */
export const hasPlatformSegment = ({ path }: AnyEndpoint): boolean =>
  typeof path === "string" && path.startsWith("/platform/")

/** Statuses about the HTTP request itself, not its subject. */
const protocolStatuses: ReadonlySet<number> = new Set([
  402, 405, 406, 407, 411, 413, 414, 415, 417, 421, 425, 426, 428, 431,
])

const absenceReason = (absence: Absence): ApiErrorReason =>
  absence === "unsupported" ? { _tag: "Unsupported" } : { _tag: "NotFound", expected: true }

const reasonOf = (
  endpoint: AnyEndpoint,
  status: number,
  delaySeconds: number | undefined,
  mayBeAbsence: boolean,
): ApiErrorReason => {
  if (status === 401) return { _tag: "Unauthorized" }
  if (status === 403) return { _tag: "Forbidden" }
  if (status === 408) return { _tag: "Transport" }
  if (status === 424) return { _tag: "DependencyFailed" }
  if (status === 429) return { _tag: "RateLimited", delaySeconds }
  const absence =
    endpoint.absences?.[status] ??
    (status < 500 && !protocolStatuses.has(status) ? endpoint.absences?.["4xx"] : undefined)
  if (absence !== undefined && mayBeAbsence) return absenceReason(absence)
  if (status === 404) return { _tag: "NotFound", expected: false }
  return status >= 500 ? { _tag: "ServerError" } : { _tag: "UnexpectedStatus" }
}

/** Inputs that name the subject of the request, whose values the service may not support. */
const subjectInput = /vault|address|chain|token|hash/i

const normalized = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/**
 * Detects a validation error about the request rather than its subject: a wrong parameter name (the document does not
 * show most wire names, §4), a value that vaulthouse chose, or a missing key. Mistaken for an absence, it would be
 * remembered for every vault. The document does not show the structure of validation errors (§7), so all texts of the
 * body are searched.
 */
const requestProblem = (
  { endpoint, url, body, wire }: RequestContext,
  parsed: Parsed,
): Pick<Failure, "reason" | "detail"> | undefined => {
  const content = Result.isSuccess(parsed) ? parsed.success.plain : undefined
  const texts = textsIn(content)
  // §7: insufficient snapshot data for a period is not a wrong request, whichever of its inputs the text names.
  const mayLack = endpoint.absences?.["4xx"] === "empty"
  if (mayLack && texts.some((text) => /snapshot/i.test(text))) return undefined
  const sent = sentNames(url, body)
  const refused = sent.find((name) => !subjectInput.test(name) && texts.includes(name))
  if (refused !== undefined) {
    return {
      reason: { _tag: "UnexpectedStatus" },
      detail: `the service refuses the value of \`${refused}\``,
    }
  }
  const text = texts.join(" ")
  if (!saysMissing(text)) return undefined
  if (/x-api-key/i.test(text)) {
    return { reason: { _tag: "Unauthorized" }, detail: "the service requires a key" }
  }
  const words = new Set(text.match(/\w+/g))
  for (const [name, parameter] of Object.entries<Parameter<never>>(endpoint.parameters)) {
    const sentName = wireName(endpoint, name, parameter, wire)
    if (parameter.place === "path" || !sent.includes(sentName)) continue
    const longer = new RegExp(`^${name}[_A-Z]`)
    const requiredName = [...words].find(
      (word) => word !== sentName && (normalized(word) === normalized(name) || longer.test(word)),
    )
    if (requiredName === undefined || endpoint.parameters[requiredName]?.place === "path") continue
    return {
      reason: { _tag: "UnexpectedStatus" },
      detail: `the service requires \`${requiredName}\` and received \`${sentName}\`; set wire: { names: { ${name}: ${requiredName} } }, or wire.case for all names`,
    }
  }
  const unsent = requiredFields(content).find((name) => !sent.includes(name))
  if (unsent === undefined) return undefined
  const received = sent.map((name) => `\`${name}\``).join(", ") || "no input"
  return {
    reason: { _tag: "UnexpectedStatus" },
    detail: `the service requires \`${unsent}\`, and received ${received}; set wire: { names: { <input>: ${unsent} } } for the input it stands for`,
  }
}

/** Fields of the query or body that a validation error calls missing, by their place (`loc`), as FastAPI sends it. */
const requiredFields = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  if (!("loc" in value) || !Array.isArray(value.loc))
    return Object.values(value).flatMap(requiredFields)
  const { loc, ...message } = value
  const [place, name] = loc
  const isInput = (place === "query" || place === "body") && typeof name === "string"
  return isInput && saysMissing(textsIn(message).join(" ")) ? [name] : []
}

const saysMissing = (text: string): boolean => /required|missing/i.test(text)

const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const MAX_DETAIL = 300

export const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line
}

/** The `detail` (or a similar field) of a JSON body, or else the whole body; `undefined` if it is empty. */
const detailOf = (parsed: Parsed): string | undefined => {
  if (Result.isFailure(parsed)) return undefined
  const text = shorten(messageOf(parsed.success.plain))
  return text === "" ? undefined : text
}

/**
 * The message may be nested (`{ error: { code, message } }`), and validation errors may be a list, which becomes
 * `query.chainId: field required; …`.
 */
const messageOf = (body: unknown): string => {
  if (typeof body === "string") return body
  if (Array.isArray(body) && body.length > 0) return body.map(messageOf).join("; ")
  if (!isJsonObject(body)) return JSON.stringify(body)
  const { loc, field, msg, detail, message, error, title, errors } = body
  const inner = msg ?? detail ?? message ?? error ?? title ?? errors
  if (inner === undefined || inner === null) return JSON.stringify(body)
  const place = Array.isArray(loc) ? loc.filter(isStep).join(".") : field
  return `${typeof place === "string" && place !== "" ? `${place}: ` : ""}${messageOf(inner)}`
}

/** JSON may be an object that can't be made a text of. */
const isStep = (step: unknown): boolean => typeof step === "string" || typeof step === "number"

/** The text of an HTML page, or of any other body that is not JSON. */
const pageText = (body: string): string | undefined => {
  const text = shorten(
    body
      .slice(0, 10_000)
      .replace(/<(style|script)[\s\S]*?<\/\1>/gi, "")
      .replace(/<(?!redacted>)[^<>]+>/g, " "),
  )
  return text === "" ? undefined : text
}

/** The settings that may make a path wrong. */
const pathSettings = ({ path }: AnyEndpoint): string => {
  if (typeof path !== "string") return `paths.${path.setting}`
  return path.includes("/platform/")
    ? "platformSegment and the path of the base URL"
    : "the path of the base URL"
}

const wrongPath = (endpoint: AnyEndpoint, url: URL): string =>
  `the service has nothing at ${url.origin}${url.pathname}; if the path is wrong, check ${pathSettings(endpoint)}`

/** Redirects are not followed: the key must not be sent elsewhere, and the data would not be from this service. */
const redirect = (
  { endpoint, url }: RequestContext,
  { status, location }: ReceivedResponse,
): Failure => {
  const target = location === undefined ? null : URL.parse(location, url.href)
  const detail =
    target === null || target.origin !== url.origin
      ? `the service redirects to ${location ?? "another address"}; if it has moved there, set the base URL to it`
      : `the service redirects ${url.pathname} to ${target.pathname} of the same address: the path may be wrong, check ${pathSettings(endpoint)}`
  return { reason: { _tag: "UnexpectedStatus" }, status, detail }
}
