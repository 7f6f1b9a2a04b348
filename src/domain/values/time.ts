// Parses and formats instants, as whole microseconds, and days, as whole days since 1970-01-01 UTC. The service mixes
// offsets, timestamps without one, epochs and M/D/YYYY labels (§2.9), and HTTP's dates; parsed times are always UTC.

export const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 24 * SECONDS_PER_HOUR
const MILLIS_PER_SECOND = 1000
export const MILLIS_PER_HOUR = SECONDS_PER_HOUR * MILLIS_PER_SECOND
export const MILLIS_PER_DAY = SECONDS_PER_DAY * MILLIS_PER_SECOND
export const MICROS_PER_MILLI = 1000
export const MICROS_PER_SECOND = MILLIS_PER_SECOND * MICROS_PER_MILLI
export const MICROS_PER_HOUR = MILLIS_PER_HOUR * MICROS_PER_MILLI
export const MICROS_PER_DAY = MILLIS_PER_DAY * MICROS_PER_MILLI

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?(Z|z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/
// IMF-fixdate, as in HTTP headers: how some frameworks write a time in JSON.
const httpDate =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/
const monthDayYear = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

/** The milliseconds of a calendar date and time, or `undefined` if there is no such date. */
const calendar = (
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
): number | undefined => {
  // Date.UTC reads years below 100 as 19xx; "0001-01-01" stands for no time.
  if (year < 100) return undefined
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const millis = Date.UTC(year, month - 1, day, hour, minute, second)
  return new Date(millis).getUTCDate() === day ? millis : undefined
}

const offsetMinutes = (offset: string): number => {
  if (offset === "Z" || offset === "z" || offset === "UTC") return 0
  const digits = offset.slice(1).replace(":", "")
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || "0")
  return offset.startsWith("-") ? -minutes : minutes
}

// Nearly every point of a history has the form `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`, with or without `Z`. Reading
// these digit by digit takes a quarter of the time of the regular expression.
const digits = (text: string, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

// February 29 is left to `fromIso`, which knows leap years.
const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The milliseconds of the day at the beginning of a text. */
const fromPlainDay = (text: string): number | undefined => {
  if (text[4] !== "-" || text[7] !== "-") return undefined
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  return year >= 1970 && day >= 1 && day <= (daysIn[month - 1] ?? 0)
    ? Date.UTC(year, month - 1, day)
    : undefined
}

const fromPlainTime = (text: string): number | undefined => {
  if (text[13] !== ":" || text[16] !== ":") return undefined
  if (text[10] !== "T" && text[10] !== " ") return undefined
  const hour = digits(text, 11, 13)
  const minute = digits(text, 14, 16)
  const second = digits(text, 17, 19)
  return hour < 24 && minute < 60 && second < 60
    ? ((hour * 60 + minute) * 60 + second) * 1000
    : undefined
}

const fromPlainIso = (text: string): number | undefined => {
  const hasTime = text.length === 19 || (text.length === 20 && text.endsWith("Z"))
  if (!hasTime && text.length !== 10) return undefined
  const day = fromPlainDay(text)
  const time = hasTime ? fromPlainTime(text) : 0
  return day === undefined || time === undefined ? undefined : (day + time) * MICROS_PER_MILLI
}

const fromIso = (text: string): number | undefined => {
  const found = iso.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, offset] = found
  const millis = calendar(
    Number(year),
    Number(month),
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  )
  if (millis === undefined) return undefined
  const micros = fraction === undefined ? 0 : Number(fraction.slice(0, 6).padEnd(6, "0"))
  const shift = offset === undefined ? 0 : offsetMinutes(offset) * 60_000
  return (millis - shift) * MICROS_PER_MILLI + micros
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

const fromHttpDate = (text: string): number | undefined => {
  const [, weekday = "", day, month = "", year, hour, minute, second] = httpDate.exec(text) ?? []
  const millis = calendar(
    Number(year),
    months.indexOf(month) + 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  return millis !== undefined && new Date(millis).toUTCString().startsWith(weekday)
    ? millis * MICROS_PER_MILLI
    : undefined
}

// March 1973: a smaller number is a count or an index.
const FIRST_EPOCH = 1e8
// A smaller epoch is in seconds: in milliseconds it would be before September 2001. The end of the year 9999 in seconds is 2.5e11.
const FIRST_MILLISECOND_EPOCH = 1e12
// Larger ones are far off: the end of the year 9999 in milliseconds is 2.5e14.
const END_OF_MILLISECOND_EPOCHS = 1e14
// Those in microseconds are of the years 2001 to 2099. The largest number and date of JavaScript, which mean never, are above them.
const FIRST_MICROSECOND_EPOCH = 1e15
const END_OF_MICROSECOND_EPOCHS = 4.1e15

const fromEpoch = (epoch: number): number | undefined => {
  if (epoch >= FIRST_MICROSECOND_EPOCH && epoch < END_OF_MICROSECOND_EPOCHS) {
    return Math.round(epoch)
  }
  if (!(epoch >= FIRST_EPOCH && epoch < END_OF_MILLISECOND_EPOCHS)) return undefined
  return Math.round(
    epoch < FIRST_MILLISECOND_EPOCH ? epoch * MICROS_PER_SECOND : epoch * MICROS_PER_MILLI,
  )
}

/** Like `parseInstant`, but inexact after the year 2255. */
const anyInstant = (value: unknown): number | undefined => {
  if (typeof value === "number") return fromEpoch(value)
  if (typeof value !== "string") return undefined
  return (
    fromPlainIso(value) ??
    fromIso(value) ??
    (/^\d{9,16}(\.\d+)?$/.test(value) ? fromEpoch(Number(value)) : undefined) ??
    fromHttpDate(value)
  )
}

/** Whether it is an instant or a day, however far in the future. */
export const isTime = (value: unknown): boolean => anyInstant(value) !== undefined

/**
 * Parses an instant in the forms that the service may use: ISO-8601 with or without an offset (none means UTC) and with
 * any fraction, an epoch in seconds, milliseconds or microseconds, as a number or as digits, or a date as in HTTP headers.
 * Returns microseconds since 1970 UTC, or `undefined` for anything else and for an instant too far in the future to be
 * exact ("9999-12-31", which means never).
 */
export const parseInstant = (value: unknown): number | undefined => {
  const micros = anyInstant(value)
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** The days since 1970 of `YYYY-MM-DD`, `M/D/YYYY` (the APY labels of §2.9) or the UTC day of an instant. */
export const parseDay = (value: unknown): number | undefined => {
  if (typeof value === "string") {
    const found = monthDayYear.exec(value)
    if (found !== null) {
      const millis = calendar(Number(found[3]), Number(found[1]), Number(found[2]))
      return millis === undefined ? undefined : millis / MILLIS_PER_DAY
    }
  }
  const micros = anyInstant(value)
  if (micros === undefined) return undefined
  const day = dayOf(micros)
  return day > LAST_DAY ? undefined : day
}

/** Days since 1970, of `YYYY-MM-DD` and no other form. */
export const parseIsoDay = (value: unknown): number | undefined =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? parseDay(value) : undefined

// 9999-12-31: a later day can't be written as a date, as that of its last hours in a time zone before UTC.
const LAST_DAY = 2_932_896

export const dayOf = (micros: number): number => Math.floor(micros / MICROS_PER_DAY)

export const startOfDay = (day: number): number => day * MICROS_PER_DAY

/** The last microsecond of a day, for inclusive ranges. */
export const endOfDay = (day: number): number => (day + 1) * MICROS_PER_DAY - 1

/** Formats a day as `YYYY-MM-DD`, as the service expects it. */
export const formatDay = (day: number): string =>
  new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10)

/** Formats an instant as `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export const formatInstant = (micros: number): string =>
  new Date(Math.floor(micros / MICROS_PER_MILLI)).toISOString()

/** The same as SQL has it in a TIMESTAMP, which has no time zone. */
export const timestampText = (micros: number): string => formatInstant(micros).replace("Z", "")

/** Like `formatInstant`, with microseconds if there are any. A number holds them only up to the year 2255. */
export const formatMicros = (instant: bigint | number): string => {
  const micros = BigInt(instant)
  const perMilli = BigInt(MICROS_PER_MILLI)
  const rest = ((micros % perMilli) + perMilli) % perMilli
  const text = new Date(Number((micros - rest) / perMilli)).toISOString()
  return rest === 0n ? text : text.replace("Z", `${String(rest).padStart(3, "0")}Z`)
}

export const microsFromMillis = (millis: number): number => millis * MICROS_PER_MILLI
