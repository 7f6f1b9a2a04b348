// Lossless JSON: numbers that a double can't hold keep every digit.
import * as Result from "effect/Result"

// TypeScript's library does not know these yet (ECMAScript "JSON.parse source text access").
const json = JSON as typeof JSON & {
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export type JsonObject = { readonly [field: string]: unknown }

// Every integer of 15 digits is safe, and 17 digits are enough to spell any double.
const SAFE_INTEGER_DIGITS = 15
const DOUBLE_DIGITS = 17

// A number that loses a digit is at least this long, so looking at one character in 16 finds it.
const STRIDE = SAFE_INTEGER_DIGITS + 1

// Far above any documented shape; recursive code relies on it.
const MAX_DEPTH = 100

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isDigitOrPoint = (code: number): boolean => isDigit(code) || code === 0x2e

/** Whether a number of a JSON text can begin after this character: `: [ , -` and white space. */
const precedesNumber = (code: number): boolean =>
  code === 0x3a || code === 0x5b || code === 0x2c || code === 0x2d || code <= 0x20

/**
 * Whether the text may hold a number with more digits than a double. Every body is searched, so only one character
 * in sixteen is looked at. Digits inside a string may match: that costs time, but no digit.
 */
const mayLoseDigits = (text: string): boolean => {
  const { length } = text
  for (let at = STRIDE - 1; at < length; at += STRIDE) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1
    if (start > 0 && !precedesNumber(text.charCodeAt(start - 1))) continue
    let isInteger = true
    let digits = 0
    let end = start
    for (let code = text.charCodeAt(end); isDigitOrPoint(code); code = text.charCodeAt(++end)) {
      if (code === 0x2e) isInteger = false
      else if (digits > 0 || code !== 0x30) digits += 1
    }
    if (digits > (isInteger ? SAFE_INTEGER_DIGITS : DOUBLE_DIGITS)) return true
    at = Math.max(at, end)
  }
  return false
}

/** Whether the double lost digits of the text. */
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

/** The depth of a parsed value, and whether a number overflowed. */
interface Extremes {
  depth: number
  /** Whether it holds a number such as 1e400. */
  isInfinite: boolean
}

const measure = (value: object, depth: number, extremes: Extremes): void => {
  if (depth > extremes.depth) extremes.depth = depth
  if (depth > MAX_DEPTH) return
  // Runs for every value of every body, so it makes no call for a scalar and no list of the fields.
  if (Array.isArray(value)) {
    for (const member of value as ReadonlyArray<unknown>) {
      if (typeof member === "object" && member !== null) measure(member, depth + 1, extremes)
      else if (member === Infinity || member === -Infinity) extremes.isInfinite = true
    }
    return
  }
  for (const field in value) {
    const member = (value as JsonObject)[field]
    if (typeof member === "object" && member !== null) measure(member, depth + 1, extremes)
    else if (member === Infinity || member === -Infinity) extremes.isInfinite = true
  }
}

/** An upper bound of the text's nesting; far too high where its strings hold brackets. */
const nestingBound = (text: string): number => {
  let bound = 1
  for (let at = text.indexOf("["); at >= 0 && bound <= MAX_DEPTH; at = text.indexOf("[", at + 1)) {
    // An array, and an object in it.
    bound += 2
  }
  for (let at = text.indexOf("{"); at >= 0 && bound <= MAX_DEPTH; at = text.indexOf("{", at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) <= 0x20) before -= 1
    // An object in another.
    if (text[before] === ":") bound += 1
  }
  return bound
}

// A number with a smaller exponent overflows only if it is so long that `mayLoseDigits` finds it.
const largeExponent = /[eE]\+?\d{3}/

/** Half of a surrogate pair, which UTF-8, and so a table, can't hold. */
const loneSurrogate = /\\u[dD][89a-fA-F]/

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => [field.toWellFormed(), wellFormed(held)]),
  )
}

export interface ParsedJson {
  /** Every number is a JavaScript number; schemas check this one. */
  readonly plain: unknown
  /** Numbers that a double can't hold are `JSON.rawJSON`; rows are made of this one. */
  readonly lossless: unknown
}

/**
 * Strings are well-formed: a lone surrogate becomes U+FFFD. Fails with what is wrong, as a predicate: `is not
 * JSON: …`.
 */
export const parseJson = (text: string): Result.Result<ParsedJson, string> => {
  let plain: unknown
  try {
    plain = JSON.parse(text)
  } catch (cause) {
    return Result.fail(`is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  const extremes = { depth: 0, isInfinite: false }
  // For nearly every body the text alone shows that it need not be measured.
  if (largeExponent.test(text) || nestingBound(text) > MAX_DEPTH) measure([plain], 0, extremes)
  if (extremes.depth > MAX_DEPTH) {
    return Result.fail(`nests arrays and objects more than ${MAX_DEPTH} deep`)
  }
  // A reviver costs five times a plain parse, so only texts that may need it pay.
  const lossless: unknown =
    extremes.isInfinite || mayLoseDigits(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : plain
  if (!text.includes("\\u") || !loneSurrogate.test(text)) return Result.succeed({ plain, lossless })
  const clean = wellFormed(plain)
  return Result.succeed({
    plain: clean,
    lossless: lossless === plain ? clean : wellFormed(lossless),
  })
}

/** A number as a double, also one kept as raw digits; `undefined` beyond the largest double. */
export const asNumber = (value: unknown): number | undefined => {
  const number = json.isRawJSON(value) ? Number(value.rawJSON) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** An integer of any size as its decimal digits; also from a string of digits. */
export const asDigits = (value: unknown): string | undefined => {
  if (typeof value === "string") return /^-?\d+$/.test(value) ? value : undefined
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined
  return json.isRawJSON(value) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : undefined
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !json.isRawJSON(value)

/** Compact text with sorted fields: the same content is always the same text. */
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
