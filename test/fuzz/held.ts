// Whether a response holds the values of a row. Read here without the product's readers: a figure counts as held if some
// number of the response has the same digits, whatever the power of ten between their units.
import type { Column, Value } from "../../src/domain/table/column.ts"

export interface Held {
  readonly digits: ReadonlySet<string>
  readonly texts: ReadonlySet<string>
  readonly millis: ReadonlySet<number>
}

/** Twelve significant digits, which a division by a power of ten keeps. */
const digitsOf = (value: unknown): string | undefined => {
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value)
  if (!Number.isFinite(number)) return undefined
  return number === 0 ? "0" : number.toExponential(11).replace(/e.*$/, "")
}

const MONTH_DAY_YEAR = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The instants that a value may mean. */
const millisOf = (value: unknown): ReadonlyArray<number> => {
  const number = Number(value)
  if (value !== "" && Number.isFinite(number)) return [number * 1000, number, number / 1000]
  const text = String(value).trim()
  const [, month, day, year] = MONTH_DAY_YEAR.exec(text) ?? []
  if (month !== undefined) return [Date.UTC(Number(year), Number(month) - 1, Number(day))]
  const iso = text.replace(" ", "T").replace(/ ?UTC$/, "Z")
  return [iso, `${iso}Z`].map((each) => Date.parse(each)).filter((each) => !Number.isNaN(each))
}

/** Everything that the values hold, keys included: protocols can be keys. */
export const heldBy = (...values: ReadonlyArray<unknown>): Held => {
  const held = { digits: new Set<string>(), texts: new Set<string>(), millis: new Set<number>() }
  const scalar = (value: unknown): void => {
    const digits = digitsOf(value)
    if (digits !== undefined) held.digits.add(digits)
    held.texts.add(String(value).toLowerCase())
    held.texts.add(String(value).trim().toLowerCase())
    for (const each of millisOf(value)) held.millis.add(Math.floor(each))
  }
  const visit = (value: unknown): void => {
    if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        scalar(key)
        visit(inner)
      }
    } else scalar(value)
  }
  values.forEach(visit)
  return held
}

/** A key may be made of several fields, of the whole record, or of that and its place among equal ones. */
const isTextHeld = (text: string, { texts }: Held): boolean => {
  const own = text.replace(/#\d+$/, "")
  // What is joined may hold what joins it: an instant in a hash's place has colons.
  const isJoined = (rest: string): boolean =>
    texts.has(rest) ||
    [...rest.matchAll(/ \/ |:/g)].some(
      ({ 0: joint, index }) =>
        texts.has(rest.slice(0, index)) && isJoined(rest.slice(index + joint.length)),
    )
  return texts.has(text) || /^[0-9a-f]{64}$/.test(own) || isJoined(own)
}

const DAY = 86_400_000

export const isHeld = ({ type }: Column, value: Value, held: Held): boolean => {
  if (value === null) return true
  switch (type) {
    case "double":
    case "integer":
    case "amount":
      return held.digits.has(digitsOf(value) ?? "")
    case "text":
      return isTextHeld(String(value).toLowerCase(), held)
    case "timestamp":
      return held.millis.has(Math.floor(Number(value) / 1000))
    case "date":
      return [...held.millis].some((each) => Math.floor(each / DAY) === value)
    case "boolean":
    case "json":
      return true
  }
}
