// Decodes a response to the documented value, or to a failure.
// This import compiles schemas to code, which checks a plain struct 25 times faster.
import "effect/schema/SchemaJITCompiler/enable"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { isErrorObject } from "../domain/wire/errorObject.ts"
import { isJsonObject, type ParsedJson } from "../domain/values/json.ts"
import type { Violation } from "../domain/wire/violation.ts"
import type { AnyEndpoint } from "./Endpoint.ts"
import { errorFrom, type RequestContext, shorten } from "./errorResponse.ts"
import type { ReceivedResponse } from "./http/exchange.ts"
import type { Failure } from "./retry.ts"

export const decodeResponse = <A>(
  context: RequestContext,
  response: ReceivedResponse,
  parsed: Result.Result<ParsedJson, string>,
): Result.Result<A, Failure> => {
  const { status, text } = response
  if (status < 200 || status >= 300) return Result.fail(errorFrom(context, response, parsed))
  const { endpoint, url } = context
  return Result.mapError(decode<A>(endpoint, parsed), ({ path, detail }): Failure => {
    const reason = { _tag: "ContractViolation" as const, path }
    const from = Result.isFailure(parsed) ? `, from ${url.href}` : ""
    return {
      reason,
      status,
      detail: `the response is not as documented (${endpoint.section}): ${path} ${detail}${from}`,
      ...(Result.isFailure(parsed) && status !== 204 && isCutShort(text)
        ? { reasonIfRepeated: reason }
        : {}),
    }
  })
}

/** Whether the end of a JSON text may have been lost in transmission. */
const isCutShort = (text: string): boolean => {
  const json = text.trim()
  if (json === "") return true
  return (
    (json.startsWith("{") && !json.endsWith("}")) || (json.startsWith("[") && !json.endsWith("]"))
  )
}

const pathText = (path: ReadonlyArray<unknown>): string =>
  path.reduce<string>((text, step) => {
    const key = isJsonObject(step) ? step["key"] : step
    return typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`
  }, "$")

const describeIssue = SchemaIssue.makeFormatterStandardSchemaV1()

// Cached by endpoint, because building a check takes longer than checking a page.
const checks = new WeakMap<AnyEndpoint, (value: unknown) => boolean>()

const conforms = (endpoint: AnyEndpoint, value: unknown): boolean => {
  let check = checks.get(endpoint)
  if (check === undefined) {
    check = Schema.is(endpoint.response)
    checks.set(endpoint, check)
  }
  return check(value)
}

/** Describes the mismatch. It is slow, so it is called only after the fast check has failed. */
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
 * The documented value of a parsed body. Integers beyond 2^53 are `JSON.rawJSON`; unknown fields are kept. Fails with
 * the path at which the body differs from the document.
 */
export const decode = <A>(
  endpoint: AnyEndpoint,
  parsed: Result.Result<ParsedJson, string>,
): Result.Result<A, Violation> => {
  if (Result.isFailure(parsed)) {
    return Result.fail({ path: "$", detail: shorten(parsed.failure) })
  }
  const { plain, lossless } = parsed.success
  if (isErrorObject(plain)) {
    const text = shorten(JSON.stringify(plain))
    return Result.fail({ path: "$", detail: `is an error in place of data: ${text}` })
  }
  const locate = endpoint.locate ?? Result.succeed
  const value = locate(plain)
  if (Result.isFailure(value)) return Result.fail(value.failure)
  if (!conforms(endpoint, value.success)) return Result.fail(violationOf(endpoint, value.success))
  return (lossless === plain ? value : locate(lossless)) as Result.Result<A, Violation>
}
