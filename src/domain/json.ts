// JSON without the loss: numbers a double can't hold keep every digit.
import * as Result from "effect/Result"

// TypeScript's library does not know these yet (ECMAScript "JSON.parse source text access").
const json = JSON as typeof JSON & {
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export type JsonObject = { readonly [field: string]: unknown }

// What a double's shortest spelling has at the most: as many or fewer come back as they were.
const DOUBLE_DIGITS = 17

// Every integer of fewer digits is safe.
const SAFE_DIGITS = 15

// Every number whose exponent has fewer is finite, unless its digits are themselves too many.
const FINITE_EXPONENT_DIGITS = 2

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** Whether a number of a JSON text can begin behind this character: `: [ , -` and white space. */
const beginsNumber = (code: number): boolean =>
  code === 0x3a || code === 0x5b || code === 0x2c || code === 0x2d || code <= 0x20

/**
 * Whether the text may hold a number of more digits than a double. Digits inside a string may count as one: that
 * costs time, not truth. Every body is searched, and a loop takes a fifth of what a regular expression does.
 */
const mayLoseDigits = (text: string): boolean => {
  const { length } = text
  let before = 0x20
  for (let at = 0; at < length; at++) {
    let code = text.charCodeAt(at)
    if (!isDigit(code) || !beginsNumber(before)) {
      before = code
      continue
    }
    let isInteger = true
    let digits = 0
    for (; isDigit(code) || code === 0x2e; code = text.charCodeAt(++at)) {
      if (code === 0x2e) isInteger = false
      else if (digits > 0 || code !== 0x30) digits += 1
    }
    if (digits > (isInteger ? SAFE_DIGITS : DOUBLE_DIGITS)) return true
    if (code === 0x65 || code === 0x45) {
      code = text.charCodeAt(++at)
      if (code === 0x2b) code = text.charCodeAt(++at)
      const from = at
      while (isDigit(code)) code = text.charCodeAt(++at)
      if (at - from > FINITE_EXPONENT_DIGITS) return true
    }
    before = code
  }
  return false
}

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
  const lossless: unknown = mayLoseDigits(text)
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
