// JSON without the loss: numbers a double can't hold keep every digit.
import * as Result from "effect/Result"

// TypeScript's library does not know these yet (ECMAScript "JSON.parse source text access").
const json = JSON as typeof JSON & {
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export type JsonObject = { readonly [field: string]: unknown }

// Whatever longNumber finds has such a run in it, and looking for runs costs a sixtieth.
const longRun = /\d{16}|[\d.]{19}|\d[eE]\+?\d{3}/

// Where a value can stand: an integer of 16 digits or more, a decimal of 18 or more that count, an exponent of
// three. A hit inside a string costs time, not truth.
const longNumber =
  /[:[,\s-](?:\d{16,}(?![\d.eE])|(?=[\d.]{19})[1-9]\d*\.\d|0\.0*[1-9]\d{17}|\d[\d.]*[eE]\+?\d{3})/

// What a double's shortest spelling has at the most: as many or fewer come back as they were.
const DOUBLE_DIGITS = 17

/** Whether the double says less than the text it was read from. */
const isLossy = (value: number, source: string): boolean => {
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value)
  const [mantissa = ""] = source.split(/[eE]/)
  const digits = mantissa.replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "")
  return digits.length > DOUBLE_DIGITS
}

const keepDigits = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
  typeof value === "number" && source !== undefined && isLossy(value, source)
    ? json.rawJSON(source)
    : value

export interface ParsedJson {
  /** Every number a JavaScript number: what schemas check. */
  readonly plain: unknown
  /** The same value, but numbers a double can't hold are `JSON.rawJSON`: what rows are made of. */
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
  const lossless: unknown =
    longRun.test(text) && longNumber.test(text)
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
  return json.isRawJSON(value) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : undefined
}

/** Whether the value is a number of more digits than a double holds. */
export const isLongNumber = (value: unknown): boolean =>
  typeof value === "object" && json.isRawJSON(value)

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
