// JSON Schema of the configuration file, for completion and checks in editors, derived from the list of
// settings. `make docs` writes it to docs/config.schema.json.
import { expected, type Field, type Kind, patterns } from "./kinds.ts"
import { settingNames, settingOf } from "./settings.ts"

export type JsonSchema = Readonly<Record<string, unknown>>

export const configJsonSchema = (): JsonSchema => {
  const inFile = settingNames.filter((name) => settingOf(name).inFile !== false)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "vaulthouse.config.yaml",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(inFile.map((name) => [name, member(settingOf(name))])),
  }
}

const member = ({
  kind,
  describe,
  ...rest
}: Field & { readonly defaultText?: string }): JsonSchema => ({
  description:
    rest.defaultText === undefined ? describe : `${describe} (default: ${rest.defaultText})`,
  ...(rest.default === undefined ? {} : { default: rest.default }),
  ...schemaOf(kind),
})

const schemaOf = (kind: Kind): JsonSchema => {
  switch (kind.type) {
    case "path":
      return kind.endings === undefined
        ? { type: "string", minLength: 1 }
        : { type: "string", pattern: `\\.(${kind.endings.join("|")})$` }
    case "text":
    case "location":
    case "address":
    case "cron":
      return { type: "string", minLength: 1 }
    case "name":
    case "memory":
      return { type: "string", pattern: patterns[kind.type] }
    case "servicePath":
      return { type: "string", pattern: "^/[^/?#][^?#]*$" }
    case "pathSegment":
      return { type: "string", pattern: "^[\\w.~-]+$" }
    case "url":
      return { type: "string", pattern: "^https?://" }
    case "secretUrl":
      return { type: "string", pattern: String.raw`^(https?://.+|\$\{\w+\})$` }
    case "postgresUrl":
      return { type: "string", pattern: String.raw`^(postgres(ql)?://.+|\$\{\w+\})$` }
    case "warehouse":
      return { type: "string", pattern: String.raw`^(file|ducklake:postgres(ql)?://.+|\$\{\w+\})$` }
    case "day":
      return { type: "string", format: "date" }
    case "duration":
      return { type: ["string", "number"], examples: ["30s", "10 min"] }
    case "number":
      return { anyOf: [{ type: "number", exclusiveMinimum: kind.above }, { const: kind.none }] }
    case "integer": {
      const number = { type: "integer", minimum: kind.min, maximum: kind.max }
      return kind.none === undefined ? number : { anyOf: [number, { const: kind.none }] }
    }
    case "boolean":
      return { type: "boolean" }
    case "choice":
      return { enum: kind.of }
    case "list":
      return {
        type: "array",
        items: schemaOf(kind.of),
        ...(kind.nonEmpty === true ? { minItems: 1 } : {}),
      }
    case "map":
      return {
        type: "object",
        description: `${kind.keys}: ${expected(kind.of)}`,
        additionalProperties: schemaOf(kind.of),
      }
    case "anyOf":
      return { anyOf: kind.of.map(schemaOf) }
    case "variant":
      return { oneOf: Object.values(kind.of).map((fields) => schemaOf({ type: "record", fields })) }
    case "record": {
      const fields = Object.entries(kind.fields)
      const required = fields.filter(([, field]) => !("default" in field)).map(([name]) => name)
      return {
        type: "object",
        additionalProperties: false,
        properties: Object.fromEntries(fields.map(([name, field]) => [name, member(field)])),
        ...(required.length === 0 ? {} : { required }),
      }
    }
  }
}
