// Converts an endpoint and its inputs to the request on the wire, or to the reason why none is sent.
import * as Result from "effect/Result"
import { snakeCase } from "../domain/values/snakeCase.ts"
import { pathProblem, segmentProblem } from "../domain/wire/servicePath.ts"
import type { AnyEndpoint, ConfiguredPath } from "./Endpoint.ts"
import type { Parameter } from "./Parameter.ts"
import type { Failure } from "./retry.ts"

/** Settings for names and paths that the document does not show. */
export interface WireSettings {
  readonly platformSegment: string
  readonly case: "camel" | "snake"
  /** Wire names by client-side name, or by `endpoint.name` for one endpoint. */
  readonly names: Readonly<Record<string, string>>
  /** Templates of the paths that the document does not show. */
  readonly paths: Readonly<Partial<Record<ConfiguredPath, string>>>
}

export const defaultWire: WireSettings = {
  platformSegment: "platform",
  case: "camel",
  names: {},
  paths: {},
}

export interface WireRequest {
  readonly method: "GET" | "POST"
  /** The path below the base address, with the query string. */
  readonly path: string
  /** The JSON text of a POST request. */
  readonly body: string | undefined
}

export const wireName = (
  endpoint: AnyEndpoint,
  name: string,
  parameter: Parameter<never>,
  wire: WireSettings,
): string =>
  wire.names[`${endpoint.name}.${name}`] ??
  wire.names[name] ??
  parameter.documentedName ??
  (wire.case === "snake" && parameter.place !== "body" ? snakeCase(name) : name)

const invalidInput = (parameter: string, detail: string): Failure => ({
  reason: { _tag: "InvalidInput", parameter },
  detail: `${parameter} ${detail}`,
})

const invalidSetting = (setting: string, detail: string): Failure => ({
  reason: { _tag: "NotConfigured", setting },
  detail,
})

/** The template of the endpoint's path, completed with the settings. */
const pathTemplate = (
  { path, section }: AnyEndpoint,
  { platformSegment, paths }: WireSettings,
): Result.Result<string, Failure> => {
  if (typeof path === "string") {
    const problem = segmentProblem(platformSegment)
    return problem === undefined
      ? Result.succeed(path.replace("/platform/", `/${platformSegment}/`))
      : Result.fail(
          invalidSetting("platformSegment", `platformSegment \`${platformSegment}\` ${problem}`),
        )
  }
  const setting = `paths.${path.setting}`
  const configured = paths[path.setting]
  if (configured === undefined) {
    const why = `path not configured: the API document does not show it (${section}); set ${setting} in the configuration file`
    return Result.fail(invalidSetting(setting, why))
  }
  const problem = pathProblem(configured)
  return problem === undefined
    ? Result.succeed(configured)
    : Result.fail(invalidSetting(setting, `${setting} \`${configured}\` ${problem}`))
}

/** Validates every input (§7, rules 1–8) and builds the request. */
export const wireRequest = (
  endpoint: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
  wire: WireSettings,
): Result.Result<WireRequest, Failure> => {
  const template = pathTemplate(endpoint, wire)
  if (Result.isFailure(template)) return Result.fail(template.failure)
  let path = template.success
  const query = new URLSearchParams(endpoint.fixedQuery)
  const body: Record<string, unknown> = {}
  const known = Object.keys(endpoint.parameters).join(", ") || "none"
  for (const name of Object.keys(inputs)) {
    if (name in endpoint.parameters) continue
    return Result.fail(invalidInput(name, `is not an input of this endpoint; it takes: ${known}`))
  }
  for (const [name, parameter] of Object.entries<Parameter<never>>(endpoint.parameters)) {
    const value = inputs[name]
    if (value === undefined) {
      if (!parameter.required) continue
      return Result.fail(invalidInput(name, `is missing; expected: ${parameter.expected}`))
    }
    const valid = parameter.validate(value as never)
    if (Result.isFailure(valid)) {
      return Result.fail(invalidInput(name, `${JSON.stringify(value)} ${valid.failure}`))
    }
    const sentName = wireName(endpoint, name, parameter, wire)
    const placeholder = `{${name}}`
    if (parameter.place === "body") body[sentName] = value
    else if (path.includes(placeholder)) {
      path = path.replace(placeholder, encodeURIComponent(valid.success))
    } else query.set(sentName, valid.success)
  }
  const [unfilled] = /\{.*?\}/.exec(path) ?? []
  if (unfilled !== undefined) {
    const setting = typeof endpoint.path === "string" ? "path" : `paths.${endpoint.path.setting}`
    const why = `${setting} contains ${unfilled}, which is not an input of ${endpoint.name}; it takes: ${known}`
    return Result.fail(invalidSetting(setting, why))
  }
  const rejected = endpoint.rule?.(inputs)
  if (rejected !== undefined) return Result.fail(invalidInput(rejected.parameter, rejected.detail))
  const suffix = query.size > 0 ? `?${query.toString()}` : ""
  return Result.succeed({
    method: endpoint.method,
    path: path + suffix,
    body: endpoint.method === "POST" ? JSON.stringify(body) : undefined,
  })
}

/** The URL of a request. Fails if it is not below the base address, because the API key is sent with it. */
export const requestUrl = (base: URL, { path }: WireRequest): Result.Result<URL, Failure> => {
  const basePath = base.pathname.replace(/\/+$/, "")
  const url = URL.parse(base.origin + basePath + path)
  return url !== null && url.origin === base.origin && url.pathname.startsWith(`${basePath}/`)
    ? Result.succeed(url)
    : Result.fail(invalidSetting("baseUrl", `the path ${path} is not below ${base.href}`))
}

/** The wire names in the query and the body. */
export const sentNames = (url: URL, body: string | undefined): ReadonlyArray<string> => [
  ...url.searchParams.keys(),
  ...(body === undefined ? [] : Object.keys(JSON.parse(body) as object)),
]
