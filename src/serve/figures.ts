// Formats figures and instants, on the server and in the browser. A missing value is a dash, never a zero.
import { MILLIS_PER_HOUR } from "../domain/values/time.ts"

export const MISSING = "–"

const numberOf = (value: unknown): number | undefined => {
  if (value === null || value === undefined || value === "") return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

const formatted = (options: Intl.NumberFormatOptions) => {
  const format = new Intl.NumberFormat("en", options)
  return (value: unknown): string => {
    const number = numberOf(value)
    return number === undefined ? MISSING : format.format(number)
  }
}

/** `0.0512` as `5.12 %`. */
export const percent = (value: unknown, digits = 2): string => {
  const number = numberOf(value)
  return number === undefined
    ? MISSING
    : `${new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(number * 100)} %`
}

/** Like `percent`, rounded down: what is not complete must not read as 100 %. */
export const completePart = (value: unknown, digits: number): string => {
  const number = numberOf(value)
  if (number === undefined) return MISSING
  const format = new Intl.NumberFormat("en", {
    style: "percent",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    roundingMode: "floor",
  })
  return format.format(number).replace("%", " %")
}

// Rounded down: 0.99996 is below par, so it must not read as 1.
export const ratio = formatted({
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
  roundingMode: "floor",
})
export const times = formatted({ maximumFractionDigits: 2, roundingMode: "floor" })
/** `1.5 ×`. */
export const multiple = (value: unknown): string => {
  const text = times(value)
  return text === MISSING ? text : `${text} ×`
}
export const count = formatted({ maximumFractionDigits: 0 })
export const amount = formatted({ maximumSignificantDigits: 6 })

/** Three significant digits and a unit: `64.9M`. */
export const money = formatted({ notation: "compact", maximumSignificantDigits: 3 })

/** Like `money` with more digits, for charts: neighbouring ticks of an axis may differ by little. */
export const compact = formatted({ notation: "compact", maximumSignificantDigits: 5 })

/** `2026-11-22T12:40:05Z` as `2026-11-22 12:40`; a day is left as it is. */
export const instant = (value: unknown): string =>
  typeof value === "string" && value !== "" ? value.slice(0, 16).replace("T", " ") : MISSING

/** The time between two instants in words, rounded down: `5 h old`, `55 d old`. */
export const age = (from: string, to: string): string => {
  const hours = Math.floor((Date.parse(to) - Date.parse(from)) / MILLIS_PER_HOUR)
  return hours < 48 ? `${hours} h old` : `${Math.floor(hours / 24)} d old`
}

/** The beginning and the end of an id or address: enough to recognize it. */
export const shortened = (value: unknown): string => {
  const id = String(value)
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id
}
