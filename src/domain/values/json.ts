// Parses JSON without loss: numbers that a double can't represent keep every digit.
import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import { canonicalDecimal, significantDigits } from "./decimal.ts"
import { causeMessage } from "./causeMessage.ts"

// TypeScript's library does not have these yet (ECMAScript "JSON.parse source text access").
const json = JSON as typeof JSON & {
  rawJSON(text: string): { readonly rawJSON: string }
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export type JsonObject = { readonly [field: string]: unknown }

// A double has every decimal of 15 digits, and some of 16 and 17, such as those that a service writes of its own doubles.
const SAFE_DIGITS = 15
const MOST_DIGITS = 17

// A number that loses a digit is at least this long, so checking one character in 16 finds it.
const STRIDE = SAFE_DIGITS + 1

// Far deeper than any documented shape; recursive code relies on the limit.
const MAX_DEPTH = 100

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isDigitOrPoint = (code: number): boolean => isDigit(code) || code === 0x2e

/** Whether a number of a JSON text can begin after this character: `: [ , -` and white space. */
const precedesNumber = (code: number): boolean =>
  code === 0x3a || code === 0x5b || code === 0x2c || code === 0x2d || code <= 0x20

const exponentPart = /^[eE][-+]?\d+/

/**
 * Whether the text may contain a number with more digits than a double. Every body is searched, so only one character
 * in sixteen is checked. Digits inside a string may match, which only takes more time.
 */
const mayLoseDigits = (text: string): boolean => {
  const { length } = text
  for (let at = STRIDE - 1; at < length; at += STRIDE) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1
    if (start > 0 && !precedesNumber(text.charCodeAt(start - 1))) {
      // However many digits a string has, they are looked at once.
      while (isDigitOrPoint(text.charCodeAt(at + 1))) at += 1
      continue
    }
    let isInteger = true
    let digits = 0
    let end = start
    for (let code = text.charCodeAt(end); isDigitOrPoint(code); code = text.charCodeAt(++end)) {
      if (code === 0x2e) isInteger = false
      else if (digits > 0 || code !== 0x30) digits += 1
    }
    if (digits > (isInteger ? SAFE_DIGITS : MOST_DIGITS)) return true
    if (end - start > SMALLEST_PLACES) return true
    if (digits > SAFE_DIGITS) {
      const number =
        text.slice(start, end) + (exponentPart.exec(text.slice(end, end + 8))?.[0] ?? "")
      if (isLossy(Number(number), number)) return true
    }
    at = Math.max(at, end)
  }
  return false
}

/** Whether the double lost digits of the text. */
const isLossy = (value: number, source: string): boolean => {
  if (!Number.isFinite(value)) return true
  const written = String(value)
  // As most are written: quicker than what follows.
  if (written === source && Number.isSafeInteger(value) === Number.isInteger(value)) return false
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value)
  return (
    (significantDigits(source) > SAFE_DIGITS || Math.abs(value) < SMALLEST_FULL) &&
    canonicalDecimal(written) !== canonicalDecimal(source)
  )
}

const keepDigits = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
  typeof value === "number" && source !== undefined && isLossy(value, source)
    ? json.rawJSON(source)
    : value

/** The depth of a parsed value, and whether a number overflowed. */
interface Extremes {
  depth: number
  /** Whether it contains a number such as 1e400. */
  isInfinite: boolean
}

const measure = (value: object, depth: number, extremes: Extremes): void => {
  if (depth > extremes.depth) extremes.depth = depth
  if (depth > MAX_DEPTH) return
  // For speed, this makes no call for a scalar and no list of the fields.
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

/** An upper bound of the text's nesting, which is far too high if its strings contain brackets. */
const nestingBound = (text: string): number => {
  let bound = 1
  for (let at = text.indexOf("["); at >= 0 && bound <= MAX_DEPTH; at = text.indexOf("[", at + 1)) {
    // An array and an object in it.
    bound += 2
  }
  for (let at = text.indexOf("{"); at >= 0 && bound <= MAX_DEPTH; at = text.indexOf("{", at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) <= 0x20) before -= 1
    // An object in another object.
    if (text[before] === ":") bound += 1
  }
  return bound
}

// A number with a smaller exponent overflows only if it is so long that `mayLoseDigits` finds it.
const largeExponent = /[eE]\+?\d{3}/

// What may be smaller than a double can be in full. The end of the number tells it from parts of a UUID.
const smallExponent = /\d[eE]-\d{3,}(?![-\w])/
const SMALLEST_FULL = 2 ** -1022
/** A number this long may be as small without an exponent. */
const SMALLEST_PLACES = 300

/** Half of a surrogate pair, which UTF-8 and therefore a table can't represent. */
const loneSurrogate = /\\u[dD][89a-fA-F]/

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, member]) => [field.toWellFormed(), wellFormed(member)]),
  )
}

export interface ParsedJson {
  /** Every number is a JavaScript number; schemas check this value. */
  readonly plain: unknown
  /** Numbers that a double can't represent are `JSON.rawJSON`; rows are made from this value. */
  readonly lossless: unknown
}

/**
 * Parses a JSON text. Strings are well-formed: a lone surrogate becomes U+FFFD. Fails with what is wrong, as a
 * predicate: `is not JSON: …`.
 */
export const parseJson = (text: string): Result.Result<ParsedJson, string> => {
  let plain: unknown
  try {
    plain = JSON.parse(text)
  } catch (cause) {
    return Result.fail(`is not JSON: ${causeMessage(cause)}`)
  }
  const extremes = { depth: 0, isInfinite: false }
  // The text alone shows of nearly every body that it need not be measured.
  if (largeExponent.test(text) || nestingBound(text) > MAX_DEPTH) measure([plain], 0, extremes)
  if (extremes.depth > MAX_DEPTH) {
    return Result.fail(`nests arrays and objects more than ${MAX_DEPTH} deep`)
  }
  // Parsing with a reviver takes five times as long, so it is done only for texts that may need it.
  const lossless: unknown =
    extremes.isInfinite || smallExponent.test(text) || mayLoseDigits(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : plain
  if (!text.includes("\\u") || !loneSurrogate.test(text)) return Result.succeed({ plain, lossless })
  const clean = wellFormed(plain)
  return Result.succeed({
    plain: clean,
    lossless: lossless === plain ? clean : wellFormed(lossless),
  })
}

// It removes a byte order mark, which JSON does not allow.
const decoder = new TextDecoder()

/** The same of a body, whose text may be at hand: of another encoding, some characters would be lost without a trace. */
export const parseBody = (
  body: Uint8Array,
  text = decoder.decode(body),
): Result.Result<ParsedJson, string> =>
  isUtf8(body)
    ? parseJson(text)
    : Result.fail("is not JSON: it is not UTF-8, the encoding of JSON (RFC 8259)")

/** A number as a double, even if it is kept as raw JSON; `undefined` beyond the largest double. */
export const asNumber = (value: unknown): number | undefined => {
  const number = json.isRawJSON(value) ? Number(value.rawJSON) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** A number that no double holds, as it was sent. */
export const isRawNumber = (value: unknown): value is { readonly rawJSON: string } =>
  json.isRawJSON(value)

/** The decimal digits of an integer of any size, which may also be a string of digits. */
export const asDigits = (value: unknown): string | undefined => {
  if (typeof value === "string") return /^-?\d+$/.test(value) ? value : undefined
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined
  return json.isRawJSON(value) && /^-?\d+$/.test(value.rawJSON) ? value.rawJSON : undefined
}

// An amount on a chain has at most 78 digits.
const wholeNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(\d{1,2}))?$/

/** The same of a whole number in any spelling, such as `1.5e21` or `"100.0"`. */
export const asAmount = (value: unknown): string | undefined => {
  const digits = asDigits(value)
  if (digits !== undefined) return digits
  const text = json.isRawJSON(value) ? value.rawJSON : value
  if (typeof text !== "string" && typeof text !== "number") return undefined
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    wholeNumber.exec(String(text)) ?? []
  const places = Number(exponent)
  if (whole === "" || /[1-9]/.test(fraction.slice(places))) return undefined
  const all = whole + fraction.slice(0, places).padEnd(places, "0")
  return sign + all.replace(/^0+(?=\d)/, "")
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !json.isRawJSON(value)

/** Compact JSON with sorted fields, so that equal content has equal text. */
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

/** The JSON type for messages: `number`, `string`, `null`, `array`, … */
export const typeOfJson = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : json.isRawJSON(value)
        ? "number"
        : typeof value
