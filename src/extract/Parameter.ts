// Parameters of endpoints as values: their place in the request, and the validation of an input before it is sent (§7,
// client-side validation).
import * as Result from "effect/Result"
import {
  type AddressKind,
  addressPattern,
  kindsText,
  parseAddress,
} from "../domain/values/address.ts"
import { formatDay, formatMicros, parseInstant, parseIsoDay } from "../domain/values/time.ts"

export interface Parameter<A> {
  /** A path parameter that a configured path does not contain is sent in the query. */
  readonly place: "path" | "query" | "body"
  readonly required: boolean
  /** The expected values, for messages and documentation. */
  readonly expected: string
  /** The wire name, if the document shows it in backticks; other names are client-side names until configured. */
  readonly documentedName?: string
  /** JSON Schema (2020-12) of the value on the wire, for the generated OpenAPI document. */
  readonly schema: JsonSchema
  /** Parses text that a user typed, without validating the value; fails with what is wrong with the text. */
  readonly read: (text: string) => Result.Result<unknown, string>
  /** The value as text for a path or query; fails with what is wrong with it, as a predicate ("is not text"). */
  readonly validate: (value: A) => Result.Result<string, string>
}

export type JsonSchema = Readonly<Record<string, unknown>>

export type Parameters = Readonly<Record<string, Parameter<never>>>

export type ParameterValue<P> = P extends Parameter<infer A> ? A : never

const make = <A>(
  kind: Pick<Parameter<A>, "expected" | "schema" | "validate"> &
    Partial<Pick<Parameter<A>, "read">>,
): Parameter<A> => ({ place: "query", required: true, read: Result.succeed, ...kind })

export const optional = <A>(
  parameter: Parameter<A>,
): Parameter<A> & { readonly required: false } => ({
  ...parameter,
  required: false,
})

export const inPath = <A>(parameter: Parameter<A>): Parameter<A> & { readonly required: true } => ({
  ...parameter,
  place: "path",
  required: true,
})

/** A field of the JSON body. The document shows the names of these fields, so they are sent unchanged (§2.6, §2.11). */
export const inBody = <P extends Parameter<never>>(parameter: P): P => ({
  ...parameter,
  place: "body",
})

/** A parameter whose wire name the document shows in backticks. */
export const documentedAs = <A>(name: string, parameter: Parameter<A>): Parameter<A> => ({
  ...parameter,
  documentedName: name,
})

/** An address of one of the kinds. It is sent as given, since some services compare spellings. */
export const address = (...kinds: ReadonlyArray<AddressKind>): Parameter<string> => {
  const allowed: ReadonlyArray<AddressKind> =
    kinds.length > 0 ? kinds : ["evm", "solana", "stellar"]
  return make({
    expected: `${kindsText(allowed)} address`,
    schema: { type: "string", pattern: addressPattern(allowed) },
    validate: (value) =>
      typeof value === "string"
        ? Result.map(parseAddress(value, allowed), () => value)
        : Result.fail("is not text"),
  })
}

/** The significant digits of a number's text, to detect digits that a double loses; `0.10` and `1e-1` have the same. */
const significant = (text: string): string =>
  text.replace(/e.*$/i, "").replaceAll(/[-+.]/g, "").replace(/^0+/, "").replace(/0+$/, "")

const readNumber = (text: string): Result.Result<number, string> => {
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return Result.fail("is not a number")
  const value = Number(text)
  return significant(text) === significant(String(value))
    ? Result.succeed(value)
    : Result.fail(`has more digits than a number in JSON keeps: ${value} would be sent`)
}

const boundedSchema = (
  type: string,
  bounds: { readonly min?: number; readonly max?: number; readonly above?: number },
): JsonSchema => ({
  type,
  ...(bounds.min === undefined ? {} : { minimum: bounds.min }),
  ...(bounds.max === undefined ? {} : { maximum: bounds.max }),
  ...(bounds.above === undefined ? {} : { exclusiveMinimum: bounds.above }),
})

/** A whole number within inclusive bounds. */
export const integer = (
  bounds: { readonly min?: number; readonly max?: number } = {},
): Parameter<number> => {
  const { min, max } = bounds
  const range =
    min === undefined ? "" : max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`
  const expected = `integer${range}`
  return make({
    expected,
    schema: boundedSchema("integer", bounds),
    read: readNumber,
    validate: (value) =>
      Number.isSafeInteger(value) && value >= (min ?? -Infinity) && value <= (max ?? Infinity)
        ? Result.succeed(String(value))
        : Result.fail(`is not an ${expected}`),
  })
}

/** A finite number of at least `min`, or above `above`. */
export const number = (
  bounds: { readonly min?: number; readonly above?: number } = {},
): Parameter<number> => {
  const expected =
    bounds.min !== undefined
      ? `number of at least ${bounds.min}`
      : bounds.above !== undefined
        ? `number above ${bounds.above}`
        : "number"
  return make({
    expected,
    schema: boundedSchema("number", bounds),
    read: readNumber,
    validate: (value) =>
      Number.isFinite(value) &&
      value >= (bounds.min ?? -Infinity) &&
      value > (bounds.above ?? -Infinity)
        ? Result.succeed(String(value))
        : Result.fail(`is not a finite ${expected}`),
  })
}

export const boolean: Parameter<boolean> = make({
  expected: "true or false",
  schema: { type: "boolean" },
  read: (typed) =>
    typed === "true" || typed === "false"
      ? Result.succeed(typed === "true")
      : Result.fail("is not true or false"),
  validate: (value) =>
    typeof value === "boolean"
      ? Result.succeed(String(value))
      : Result.fail("is not true or false"),
})

/** A day: `YYYY-MM-DD` on the wire, days since 1970 as an input. */
export const day: Parameter<number> = make({
  expected: "day (YYYY-MM-DD)",
  schema: { type: "string", format: "date" },
  read: (typed) => {
    const found = parseIsoDay(typed)
    return found === undefined ? Result.fail("is not a day (YYYY-MM-DD)") : Result.succeed(found)
  },
  validate: (value) =>
    isDay(value) ? Result.succeed(formatDay(value)) : Result.fail("is not a day"),
})

// The years 100 to 9999: the wire format has no more than four digits, and parsers take a year below 100 for another.
const FIRST_DAY = -683_003
const LAST_DAY = 2_932_896

const isDay = (value: number): boolean =>
  Number.isSafeInteger(value) && value >= FIRST_DAY && value <= LAST_DAY

export const oneOf = <const A extends string>(...values: ReadonlyArray<A>): Parameter<A> =>
  make({
    expected: values.join(", "),
    schema: { type: "string", enum: values },
    validate: (value) =>
      values.includes(value)
        ? Result.succeed(value)
        : Result.fail(`is not one of ${values.join(", ")}`),
  })

/** An instant: ISO-8601 in UTC on the wire, microseconds since 1970 as an input. */
export const instant: Parameter<number> = make({
  expected: "instant (ISO-8601)",
  schema: { type: "string", format: "date-time" },
  read: (typed) => {
    const found = parseInstant(typed)
    return found === undefined ? Result.fail("is not an instant (ISO-8601)") : Result.succeed(found)
  },
  validate: (value) =>
    // Within the years that the wire format has: those of exact microseconds are 1684 to 2255.
    Number.isSafeInteger(value)
      ? Result.succeed(formatMicros(value))
      : Result.fail("is not an instant"),
})

const uuidText = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const uuid: Parameter<string> = make({
  expected: "UUID",
  schema: { type: "string", format: "uuid" },
  validate: (value) =>
    uuidText.test(value) ? Result.succeed(value) : Result.fail("is not a UUID"),
})

/** Lists and pairs are typed as JSON; a list may also be typed as its items separated by commas. */
const readJson = (typed: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(typed))
  } catch {
    return Result.fail("is not JSON")
  }
}

/** A list of valid items, which must not be empty unless `mayBeEmpty`. */
export const list = <A>(
  item: Parameter<A>,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Parameter<ReadonlyArray<A>> =>
  make({
    expected: `list of ${item.expected}`,
    schema: { type: "array", items: item.schema, ...(mayBeEmpty ? {} : { minItems: 1 }) },
    read: (typed) =>
      /^\s*\[/.test(typed)
        ? readJson(typed)
        : Result.all(
            typed
              .split(",")
              .map((part) => part.trim())
              .filter((part) => part !== "")
              .map(item.read),
          ),
    validate: (values) => {
      if (!Array.isArray(values)) return Result.fail("is not a list")
      if (values.length === 0 && !mayBeEmpty) return Result.fail("is empty")
      for (const [index, value] of values.entries()) {
        const valid = item.validate(value as A)
        if (Result.isFailure(valid)) {
          return Result.fail(`has at [${index}] ${JSON.stringify(value)}, which ${valid.failure}`)
        }
      }
      return Result.succeed(JSON.stringify(values))
    },
  })

/** A pair of values, each with its own validation. */
export const pair = <A, B>(first: Parameter<A>, second: Parameter<B>): Parameter<readonly [A, B]> =>
  make({
    expected: `[${first.expected}, ${second.expected}]`,
    schema: {
      type: "array",
      prefixItems: [first.schema, second.schema],
      minItems: 2,
      maxItems: 2,
    },
    read: readJson,
    validate: (value) => {
      if (!Array.isArray(value) || value.length !== 2) return Result.fail("is not a pair")
      const one = first.validate(value[0])
      if (Result.isFailure(one)) return one
      const two = second.validate(value[1])
      return Result.isFailure(two) ? two : Result.succeed(JSON.stringify(value))
    },
  })

export const text: Parameter<string> = make({
  expected: "non-empty text",
  schema: { type: "string", minLength: 1, pattern: String.raw`\S` },
  validate: (value) =>
    typeof value === "string" && value.trim().length > 0
      ? Result.succeed(value)
      : Result.fail("is empty"),
})

/** A token of a swap: any text (§2.11), but text that begins like an EVM address must be a valid one. */
export const token: Parameter<string> = make({
  expected: "token address",
  schema: text.schema,
  validate: (value) => {
    const named = text.validate(value)
    if (Result.isFailure(named) || !/^0x/i.test(value)) return named
    return Result.map(parseAddress(value, ["evm"]), () => value)
  },
})
