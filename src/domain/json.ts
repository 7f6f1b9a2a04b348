// JSON without the loss: integers beyond 2^53 keep every digit.
import * as Result from "effect/Result"

// TypeScript's library does not know these yet (ECMAScript "JSON.parse source text access").
const json = JSON as typeof JSON & {
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export type JsonObject = { readonly [field: string]: unknown }

// An integer of 16 digits or more where a value can stand. A hit inside a string costs time, not truth.
const longInteger = /[:[,\s-]\d{16,}(?![\d.eE])/

const keepDigits = (_key: string, value: unknown, context: { readonly source?: string }): unknown =>
  typeof value === "number" &&
  !Number.isSafeInteger(value) &&
  context.source !== undefined &&
  /^-?\d+$/.test(context.source)
    ? json.rawJSON(context.source)
    : value

export interface ParsedJson {
  /** Every number a JavaScript number: what schemas check. */
  readonly plain: unknown
  /** The same value, but integers beyond 2^53 are `JSON.rawJSON`: what rows are made of. */
  readonly lossless: unknown
}

/** Fails with the parser's words for text that is not JSON. */
export const parseJson = (text: string): Result.Result<ParsedJson, string> => {
  let plain: unknown
  try {
    plain = JSON.parse(text)
  } catch (cause) {
    return Result.fail(cause instanceof Error ? cause.message : String(cause))
  }
  // The reviver costs five times a plain parse, so only texts that may need it pay.
  const lossless: unknown = longInteger.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : plain
  return Result.succeed({ plain, lossless })
}

/** A number as a double, whether or not it was kept as raw digits. */
export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" ? value : json.isRawJSON(value) ? Number(value.rawJSON) : undefined

/** An integer of any size as its decimal digits; also from a string of digits. */
export const asDigits = (value: unknown): string | undefined => {
  if (typeof value === "string") return /^-?\d+$/.test(value) ? value : undefined
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined
  return json.isRawJSON(value) ? value.rawJSON : undefined
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !json.isRawJSON(value)

/** Compact text with sorted fields, so that the same content is always the same text. */
export const stableStringify = (value: unknown): string => JSON.stringify(sorted(value))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((field) => [field, sorted(value[field])]),
  )
}

/** `number`, `string`, `null`, `array`, …: the JSON type, for messages. */
export const typeOfJson = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : json.isRawJSON(value)
        ? "number"
        : typeof value
