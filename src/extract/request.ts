// From an endpoint and its inputs to the request on the wire; or to the reason why none may leave.
import * as Result from "effect/Result"
import type { AnyEndpoint } from "./Endpoint.ts"
import type { Parameter } from "./Parameter.ts"

/** How this service spells what the document does not show. */
export interface WireSettings {
  readonly platformSegment: string
  readonly case: "camel" | "snake"
  /** Wire names by client-side name, or by `endpoint.name` where one endpoint differs. */
  readonly names: Readonly<Record<string, string>>
}

export const defaultWire: WireSettings = { platformSegment: "platform", case: "camel", names: {} }

export interface WireRequest {
  readonly method: "GET" | "POST"
  /** Below the base address, with its query string. */
  readonly path: string
}

export interface RejectedInput {
  readonly parameter: string
  readonly detail: string
}

const snakeCase = (name: string): string =>
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
  (wire.case === "snake" ? snakeCase(name) : name)

/** Validates every input (§7, rules 1–8) and spells the request. */
export const wireRequest = (
  endpoint: AnyEndpoint,
  inputs: Readonly<Record<string, unknown>>,
  wire: WireSettings,
): Result.Result<WireRequest, RejectedInput> => {
  let path = endpoint.path.replace("/platform/", `/${wire.platformSegment}/`)
  const query = new URLSearchParams(endpoint.fixedQuery)
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
    if (parameter.place === "path") {
      path = path.replace(`{${name}}`, encodeURIComponent(valid.success))
    } else {
      query.set(wireName(endpoint, name, parameter, wire), valid.success)
    }
  }
  const suffix = query.size > 0 ? `?${query.toString()}` : ""
  return Result.succeed({ method: endpoint.method, path: path + suffix })
}
