// From an answer on the wire to a typed value or to the typed reason why there is none. Pure.
// Compiles schemas to code: a plain struct is checked 25 times faster.
import "effect/schema/SchemaJITCompiler/enable"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { isJsonObject, type ParsedJson } from "../domain/json.ts"
import type { Violation } from "../domain/violation.ts"
import type { AnyEndpoint } from "./Endpoint.ts"
import type { Exchange, Failure } from "./exchange.ts"
import { type Asked, refusal, shorten } from "./refusal.ts"

/** The documented value of an answer, or why it is none. */
export const interpret = <A>(
  asked: Asked,
  received: Exchange,
  parsed: Result.Result<ParsedJson, string>,
): Result.Result<A, Failure> => {
  const { status, body } = received
  if (status < 200 || status >= 300) return Result.fail(refusal(asked, received, parsed))
  const { endpoint } = asked
  return Result.mapError(decode<A>(endpoint, parsed), ({ path, detail }): Failure => {
    const reason = { _tag: "ContractViolation" as const, path }
    return {
      reason,
      status,
      detail: `the answer is not as documented (${endpoint.section}): ${path} ${detail}`,
      ...(Result.isFailure(parsed) && status !== 204 && isCutShort(body)
        ? { doubt: { sameness: `${body.length} ${body.slice(-64)}`, believed: reason } }
        : {}),
    }
  })
}

/** Whether the rest of a JSON text may have been lost on the way: nothing came, or it ends in the middle. */
const isCutShort = (body: string): boolean => {
  const text = body.trim()
  if (text === "") return true
  if (!text.startsWith("{") && !text.startsWith("[")) return false
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isString) {
      if (character === "\\") at += 1
      else if (character === '"') isString = false
    } else if (character === '"') isString = true
    else if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
  }
  return isString || depth > 0
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
