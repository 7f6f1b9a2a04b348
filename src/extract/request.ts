// From an endpoint and its inputs to the request on the wire; or to the reason why none may leave.
import * as Result from "effect/Result"
import type { AnyEndpoint, ConfiguredPath, RejectedInput } from "./Endpoint.ts"
import type { Failure } from "./exchange.ts"
import type { Parameter } from "./Parameter.ts"

/** How this service spells what the document does not show. */
export interface WireSettings {
  readonly platformSegment: string
  readonly case: "camel" | "snake"
  /** Wire names by client-side name, or by `endpoint.name` where one endpoint differs. */
  readonly names: Readonly<Record<string, string>>
  /** Templates of the paths the document does not show. */
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
  /** Below the base address, with its query string. */
  readonly path: string
  /** JSON text; GET requests have none. */
  readonly body: string | undefined
}

/** The path is one the document does not show, and configuration does not say where it is. */
export interface UnconfiguredPath {
  readonly setting: ConfiguredPath
}

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The one place that knows what a parameter is called on the wire. */
export const wireName = (
  endpoint: AnyEndpoint,
  name: string,
  parameter: Parameter<never>,
  wire: WireSettings,
): string =>
  wire.names[`${endpoint.name}.${name}`] ??
  wire.names[name] ??
  parameter.certainName ??
  (wire.case === "snake" && parameter.place !== "body" ? snakeCase(name) : name)

/** The path's template, or the setting that would tell it. */
export const pathTemplate = (
  { path }: AnyEndpoint,
  wire: WireSettings,
): Result.Result<string, UnconfiguredPath> => {
  if (typeof path === "string") {
    return Result.succeed(path.replace("/platform/", `/${wire.platformSegment}/`))
  }
  const configured = wire.paths[path.setting]
  return configured === undefined ? Result.fail(path) : Result.succeed(configured)
}

/** Validates every input (§7, rules 1–8) and spells the request. */
export const wireRequest = (
  endpoint: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
  wire: WireSettings,
): Result.Result<WireRequest, RejectedInput | UnconfiguredPath> => {
  const template = pathTemplate(endpoint, wire)
  if (Result.isFailure(template)) return Result.fail(template.failure)
  let path = template.success
  const query = new URLSearchParams(endpoint.fixedQuery)
  const body: Record<string, unknown> = {}
  for (const unknown of Object.keys(inputs)) {
    if (!(unknown in endpoint.parameters)) {
      const known = Object.keys(endpoint.parameters).join(", ") || "none"
      return Result.fail({ parameter: unknown, detail: `is no input; inputs are: ${known}` })
    }
  }
  for (const [name, parameter] of Object.entries<Parameter<never>>(endpoint.parameters)) {
    const value = inputs[name]
    if (value === undefined) {
      if (!parameter.required) continue
      return Result.fail({ parameter: name, detail: `is missing; expected ${parameter.expected}` })
    }
    const valid = parameter.validate(value as never)
    if (Result.isFailure(valid)) {
      return Result.fail({ parameter: name, detail: `${JSON.stringify(value)} ${valid.failure}` })
    }
    const called = wireName(endpoint, name, parameter, wire)
    const place = `{${name}}`
    if (parameter.place === "body") body[called] = value
    else if (path.includes(place)) path = path.replace(place, encodeURIComponent(valid.success))
    else query.set(called, valid.success)
  }
  const broken = endpoint.rule?.(inputs)
  if (broken !== undefined) return Result.fail(broken)
  const suffix = query.size > 0 ? `?${query.toString()}` : ""
  return Result.succeed({
    method: endpoint.method,
    path: path + suffix,
    body: endpoint.method === "POST" ? JSON.stringify(body) : undefined,
  })
}

/** Why nothing is sent. */
export const unsendable = (
  { section }: AnyEndpoint,
  failure: RejectedInput | UnconfiguredPath,
): Failure =>
  "setting" in failure
    ? {
        reason: { _tag: "NotConfigured", setting: `paths.${failure.setting}` },
        detail: `path not configured: the API document does not show it (${section}); set paths.${failure.setting} in the configuration file`,
      }
    : {
        reason: { _tag: "InvalidInput", parameter: failure.parameter },
        detail: `${failure.parameter} ${failure.detail}`,
      }
