// Hours and days as whole numbers since 1970, and the ways the API writes an instant.

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export type TimeFormat = "iso" | "iso-offset" | "naive" | "epoch-seconds" | "epoch-millis"

export const dayOfHour = (hour: number): number => Math.floor(hour / 24)

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)

/** YYYY-MM-DD in UTC. */
export const isoDay = (day: number): string => {
  const date = new Date(day * dayMs)
  return `${date.getUTCFullYear()}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
}

/** M/D/YYYY with no padding, the label format of the APY series (§2.9). */
export const usDay = (day: number): string => {
  const date = new Date(day * dayMs)
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`
}

/** YYYY-MM-DDTHH:MM:SS with no offset (§2.9: naive UTC), with a fraction only if it is not zero. */
export const naive = (ms: number, micros = 0): string => {
  const text = new Date(ms).toISOString()
  const fraction = (ms % 1000) * 1000 + micros
  return fraction === 0
    ? text.slice(0, 19)
    : `${text.slice(0, 19)}.${String(fraction).padStart(6, "0")}`
}

export const iso = (ms: number): string =>
  ms % 1000 === 0 ? `${new Date(ms).toISOString().slice(0, 19)}Z` : new Date(ms).toISOString()

const writers: Readonly<Record<TimeFormat, (ms: number) => string | number>> = {
  iso,
  "iso-offset": (ms) => `${iso(ms).slice(0, -1)}+00:00`,
  naive: (ms) => naive(ms),
  "epoch-seconds": (ms) => ms / 1000,
  "epoch-millis": (ms) => ms,
}

export const timeWriter = (format: TimeFormat): ((ms: number) => string | number) => writers[format]

/** The day number of a valid YYYY-MM-DD, or undefined. */
export const parseDay = (text: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs
  return Number.isNaN(day) || isoDay(day) !== text ? undefined : day
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Microseconds since 1970 of an ISO-8601 instant; one without an offset is read as UTC. */
export const parseMicros = (text: string): number | undefined => {
  const match = instantPattern.exec(text)
  if (match === null) return undefined
  const [, day, minute = "00:00", second = "00", fraction = "", offset = "Z"] = match
  const ms = Date.parse(`${day}T${minute}:${second}${offset}`)
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6))
}

export const parseMs = (text: string): number | undefined => {
  const micros = parseMicros(text)
  return micros === undefined ? undefined : Math.floor(micros / 1000)
}
