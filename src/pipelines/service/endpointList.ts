// The endpoints of the API document for people: inputs, required key and description of each.
import { didYouMean } from "../../config/read/nearest.ts"
import type { AnyEndpoint, AuthTier } from "../../extract/Endpoint.ts"
import { endpoints } from "../../extract/endpoints/index.ts"
import type { Parameter } from "../../extract/Parameter.ts"
import { defaultWire, type WireSettings } from "../../extract/request.ts"
import { UsageError } from "../../domain/UsageError.ts"

export interface ListedInput {
  readonly name: string
  readonly place: "path" | "query" | "body"
  readonly required: boolean
  /** The rule it must pass before a request is sent (§7). */
  readonly expected: string
}

export interface ListedEndpoint {
  readonly name: string
  readonly title: string
  readonly section: string
  readonly method: "GET" | "POST"
  /** Template relative to the base address, or the setting it comes from. */
  readonly path: string
  readonly auth: AuthTier
  /** Whether it changes something, so that `call` refuses to send it. */
  readonly unsafe: boolean
  readonly inputs: ReadonlyArray<ListedInput>
}

/** All endpoints, with the paths as configured, or as the document shows them. */
export const endpointList = (wire: PathSettings = defaultWire): ReadonlyArray<ListedEndpoint> =>
  endpoints.map(({ name, title, section, method, auth, unsafe, ...endpoint }) => ({
    name,
    title,
    section,
    method,
    path: pathText(endpoint, wire),
    auth,
    unsafe: unsafe === true,
    inputs: Object.entries<Parameter<never>>(endpoint.parameters).map(([input, parameter]) => ({
      name: input,
      place: parameter.place,
      required: parameter.required,
      expected: parameter.expected,
    })),
  }))

type PathSettings = Pick<WireSettings, "platformSegment" | "paths">

const pathText = (
  { path, fixedQuery }: Pick<AnyEndpoint, "path" | "fixedQuery">,
  { platformSegment, paths }: PathSettings,
): string => {
  if (typeof path !== "string") {
    return paths[path.setting] ?? `(path not configured: paths.${path.setting})`
  }
  const shown = path.replace("/platform/", `/${platformSegment}/`)
  const query = new URLSearchParams(fixedQuery).toString()
  return query === "" ? shown : `${shown}?${query}`
}

/** The endpoint with that name, or an error that suggests the closest one. */
export const endpointNamed = (name: string): AnyEndpoint | UsageError => {
  const known = endpoints.map((endpoint) => endpoint.name)
  return (
    endpoints.find((endpoint) => endpoint.name === name) ??
    new UsageError({
      why: `There is no endpoint \`${name}\`${didYouMean(name, known) || "."}`,
      advice: "`vaulthouse call --list` lists them all.",
    })
  )
}
