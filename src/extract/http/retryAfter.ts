// Reads how long the service asks to wait from `Retry-After` or the reset of a rate limit. The reset counts only with a
// 429, because some servers send it with every response.

type Headers = Readonly<Record<string, string | undefined>>

// A number this large is an instant since 1970, not a delay of thirty years.
const MIN_EPOCH_SECONDS = 1e9
const MIN_EPOCH_MILLIS = 1e11

const secondsUntil = (text: string | undefined, nowMillis: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) {
    const number = Number(text)
    if (number >= MIN_EPOCH_MILLIS) return (number - nowMillis) / 1000
    return number >= MIN_EPOCH_SECONDS ? number - nowMillis / 1000 : number
  }
  // `Date.parse` accepts almost any text, so a year is required.
  const at = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : (at - nowMillis) / 1000
}

// Before this, a date is that of a server without a clock, or a constant.
const FIRST_DATE_MILLIS = Date.UTC(2024)

/**
 * When the service says it responded, in milliseconds truncated to whole seconds; `undefined` if it sent no date, or none
 * that can be. `age`: how many seconds a cache has kept the response, which has the date of when it was made.
 */
export const serviceMillis = ({ date, age }: Headers): number | undefined => {
  const dated = Date.parse(date ?? "")
  if (Number.isNaN(dated) || dated < FIRST_DATE_MILLIS) return undefined
  return dated + (/^\d+$/.test(age ?? "") ? Number(age) * 1000 : 0)
}

/** Returns `undefined` if the service does not say or the delay is over; then the caller's backoff applies. */
export const delaySecondsOf = (
  status: number,
  headers: Headers,
  nowMillis: number,
): number | undefined => {
  // The service's instants are of its clock; this machine's may be wrong.
  const now = serviceMillis(headers) ?? nowMillis
  const reset = headers["ratelimit-reset"] ?? headers["x-ratelimit-reset"]
  const seconds =
    secondsUntil(headers["retry-after"], now) ??
    (status === 429 ? secondsUntil(reset, now) : undefined)
  return seconds !== undefined && seconds > 0 ? seconds : undefined
}
