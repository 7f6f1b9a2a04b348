// Reads numbers on the wire, which are JSON numbers or decimal text.
import { canonicalDecimal } from "../../domain/values/decimal.ts"
import { asNumber, isRawNumber } from "../../domain/values/json.ts"

const decimal = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/

/** A number, or a number as text, as a double. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && decimal.test(value) ? Number(value) : asNumber(value)
  return number !== undefined && Number.isFinite(number) ? number : undefined
}

/** Every digit of a number, whether it was sent as a number or as text. */
export const digitsOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return decimal.test(value) ? value : undefined
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined
  // Beyond every double it is no figure (`1e400`).
  return isRawNumber(value) && numberOf(value) !== undefined ? value.rawJSON : undefined
}

/** Whether the double keeps every digit of the value. */
export const isExact = (number: number, value: unknown): boolean => {
  if (typeof value === "number") return true
  const text = digitsOf(value)
  return text !== undefined && canonicalDecimal(text) === canonicalDecimal(String(number))
}
