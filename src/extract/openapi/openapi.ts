// Generates an OpenAPI 3.1 document from the endpoint values: requests, their validation (§7), and response schemas.
import * as Schema from "effect/Schema"
import type { AnyEndpoint, AuthTier } from "../Endpoint.ts"
import { endpoints } from "../endpoints/index.ts"
import type { JsonSchema, Parameter } from "../Parameter.ts"
import { responsesOf } from "./openapiResponses.ts"

type Json = Readonly<Record<string, unknown>>

/** The fields of an endpoint's records that the document names, taken from the tables loaded from it. */
export type DocumentedFields = (endpoint: AnyEndpoint) => ReadonlyArray<string>

export const openapi = (fieldsOf: DocumentedFields): Json => ({
  openapi: "3.1.1",
  info: {
    title: "Vault, subaccount and transparency API, as vaulthouse reads it",
    version: "not versioned (§9)",
    description:
      "Generated from src/extract/endpoints. Response schemas show where the records are; `x-documented-fields` lists the fields that the API document names. Every record may have more. `/platform/` stands for the configured segment.",
  },
  servers: [
    {
      url: "{base_url}",
      variables: { base_url: { default: "https://api.example.com", description: "Base address" } },
    },
  ],
  tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
  paths: pathsOf(
    endpoints.filter(({ path }) => typeof path === "string"),
    fieldsOf,
  ),
  components: {
    securitySchemes: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "x-api-key",
        description: "§5. The roles named by an operation are the tiers of §5.3 to §5.6.",
      },
    },
  },
  // Paths that the API document does not show come from the configuration.
  "x-paths-not-shown": Object.fromEntries(
    endpoints.flatMap((endpoint) =>
      typeof endpoint.path === "string"
        ? []
        : [
            [
              endpoint.path.setting,
              { [endpoint.method.toLowerCase()]: operationOf([endpoint], fieldsOf) },
            ],
          ],
    ),
  ),
})

const tagOf = ({ section }: AnyEndpoint): string => section.split(",")[0] ?? section

const pathsOf = (shown: ReadonlyArray<AnyEndpoint>, fieldsOf: DocumentedFields): Json => {
  const paths = new Map<string, Map<string, Array<AnyEndpoint>>>()
  for (const endpoint of shown) {
    const methods = paths.get(String(endpoint.path)) ?? new Map<string, Array<AnyEndpoint>>()
    const method = endpoint.method.toLowerCase()
    methods.set(method, [...(methods.get(method) ?? []), endpoint])
    paths.set(String(endpoint.path), methods)
  }
  return Object.fromEntries(
    [...paths].map(([path, methods]) => [
      path,
      Object.fromEntries(
        [...methods].map(([method, rows]) => [method, operationOf(rows, fieldsOf)]),
      ),
    ]),
  )
}

/** Combines rows of §4 with the same method and path, which differ by a query parameter, into one operation. */
const operationOf = (rows: ReadonlyArray<AnyEndpoint>, fieldsOf: DocumentedFields): Json => {
  const [first] = rows
  if (first === undefined) return {}
  const inputs = inputsOf(rows)
  const body = inputs.filter(({ parameter }) => parameter.place === "body")
  const fields = rows.flatMap(fieldsOf)
  return {
    operationId: rows.map(({ name }) => name).join("_or_"),
    summary: rows.map(({ title }) => title).join("; "),
    description: [
      `API document: ${[...new Set(rows.flatMap(({ section }) => section.split(", ")))].join(", ")}.`,
      ...rows.flatMap(noteOf),
    ].join(" "),
    tags: [tagOf(first)],
    security: securityOf(first.auth),
    parameters: [
      ...inputs.filter(({ parameter }) => parameter.place !== "body").map(parameterOf),
      ...fixedParametersOf(rows),
    ],
    ...(body.length === 0
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: bodyOf(body) } },
          },
        }),
    responses: responsesOf(rows, responseSchema(rows)),
    ...(fields.length === 0 ? {} : { "x-documented-fields": fields }),
  }
}

const noteOf = ({ serverCacheSeconds, unsafe }: AnyEndpoint): ReadonlyArray<string> => [
  ...(serverCacheSeconds === undefined
    ? []
    : [`The server caches the response for ${serverCacheSeconds} s (§8).`]),
  ...(unsafe === true ? ["It changes something, so it is never retried."] : []),
]

interface Input {
  readonly name: string
  readonly parameter: Parameter<never>
  /** Whether every row has the parameter and requires it. */
  readonly required: boolean
}

const inputsOf = (rows: ReadonlyArray<AnyEndpoint>): ReadonlyArray<Input> => {
  const names = new Set(rows.flatMap(({ parameters }) => Object.keys(parameters)))
  return [...names].flatMap((name) => {
    const found = rows.flatMap(({ parameters }) => {
      const parameter: Parameter<never> | undefined = parameters[name]
      return parameter === undefined ? [] : [parameter]
    })
    const [parameter] = found
    if (parameter === undefined) return []
    const required = found.length === rows.length && found.every((each) => each.required)
    return [{ name, parameter, required }]
  })
}

const parameterOf = ({ name, parameter, required }: Input): Json => ({
  name: parameter.documentedName ?? name,
  in: parameter.place,
  required,
  description:
    parameter.place === "query" && parameter.documentedName === undefined
      ? `${parameter.expected}. The client-side name: the wire name is not shown (§4)`
      : parameter.expected,
  schema: parameter.schema,
})

/** The fixed query parameters; `fields=ratio` belongs to one of two rows with the same path. */
const fixedParametersOf = (rows: ReadonlyArray<AnyEndpoint>): ReadonlyArray<Json> => {
  const fixed = rows.flatMap(({ fixedQuery = {} }) => Object.entries(fixedQuery))
  return [...new Set(fixed.map(([name]) => name))].map((name) => {
    const values = fixed.filter(([each]) => each === name).map(([, value]) => value)
    return {
      name,
      in: "query",
      required: values.length === rows.length,
      schema: { type: "string", enum: values },
    }
  })
}

const bodyOf = (inputs: ReadonlyArray<Input>): JsonSchema => {
  const required = inputs.filter((input) => input.required).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(
      inputs.map(({ name, parameter }) => [
        parameter.documentedName ?? name,
        { description: parameter.expected, ...parameter.schema },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  }
}

const securityOf = (auth: AuthTier): ReadonlyArray<Json> => {
  switch (auth) {
    case "public":
      return []
    case "undocumented":
      // §5.8: with or without a key.
      return [{}, { apiKey: [] }]
    case "key":
      return [{ apiKey: [] }]
    case "admin":
      return [{ apiKey: ["admin"] }]
    case "curator":
      return [{ apiKey: ["curator"] }, { apiKey: ["admin"] }]
  }
}

const responseSchema = (rows: ReadonlyArray<AnyEndpoint>): JsonSchema => {
  const schemas = rows.map(({ response }) => Schema.toJsonSchemaDocument(response).schema)
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}
