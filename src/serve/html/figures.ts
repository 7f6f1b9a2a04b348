// How figures, instants and durations are written. A missing value is a dash, never a zero.
import { html, type Html } from "./html.ts"

export const MISSING = "–"

type Value = unknown

const numberOf = (value: Value): number | undefined => {
  if (value === null || value === undefined || value === "") return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

const formatted =
  (options: Intl.NumberFormatOptions) =>
  (value: Value): string => {
    const number = numberOf(value)
    return number === undefined ? MISSING : new Intl.NumberFormat("en", options).format(number)
  }

/** `0.0512` as `5.12 %`. */
export const percent = (value: Value, digits = 2): string => {
  const number = numberOf(value)
  return number === undefined
    ? MISSING
    : `${new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(number * 100)} %`
}

// Rounded down: 0.99996 is below par, so it must not read as 1.
export const ratio = formatted({
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
  roundingMode: "floor",
})
export const times = formatted({ maximumFractionDigits: 2, roundingMode: "floor" })
export const count = formatted({ maximumFractionDigits: 0 })
export const amount = formatted({ maximumSignificantDigits: 6 })

/** In USD, to three digits and a unit: `64.9 M`. */
export const money = formatted({ notation: "compact", maximumSignificantDigits: 3 })

/** ISO-8601 UTC as `2026-11-22 12:40`, a day as it is. */
export const instant = (value: Value): string =>
  typeof value === "string" && value !== "" ? value.slice(0, 16).replace("T", " ") : MISSING

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** `40 min`, `5 h`, `3 d`; two days and more in days. */
export const duration = (millis: number): string => {
  if (millis < MINUTE) return "less than a minute"
  if (millis < HOUR) return `${Math.floor(millis / MINUTE)} min`
  if (millis < 48 * HOUR) return `${Math.floor(millis / HOUR)} h`
  return `${Math.floor(millis / (24 * HOUR)).toLocaleString("en")} d`
}

/** An instant or a day, in UTC, as an element that programs can read too. */
export const time = (value: Value): Html =>
  typeof value === "string" && value !== ""
    ? html`<time datetime="${value}">${instant(value)}</time>`
    : html`${MISSING}`

/** A figure with the instant it is of below it, linked to what it was read from. */
export const figure = (text: string, asOf: Value, href: string | undefined): Html =>
  text === MISSING
    ? html`<span class="missing">${MISSING}</span>`
    : html`${href === undefined ? text : html`<a class="figure" href="${href}">${text}</a>`}
      ${typeof asOf === "string" && html`<span class="as-of">${time(asOf)}</span>`}`
