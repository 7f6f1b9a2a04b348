// How long the service asks to wait. `Retry-After` is the only word for it that any status may carry; the reset
// of a rate limit stands on every answer of some servers, and says something about a refusal (429) alone.

type Headers = Readonly<Record<string, string | undefined>>

// Nobody asks to wait for thirty years: so large a number is an instant.
const LEAST_EPOCH_SECONDS = 1e9
const LEAST_EPOCH_MILLIS = 1e11
const SAME_CLOCK_MILLIS = 5000

/** Seconds from now by a number of seconds, an epoch in seconds or milliseconds, or a date; none is `undefined`. */
const secondsUntil = (text: string | undefined, nowMillis: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) {
    const number = Number(text)
    if (number >= LEAST_EPOCH_MILLIS) return (number - nowMillis) / 1000
    return number >= LEAST_EPOCH_SECONDS ? number - nowMillis / 1000 : number
  }
  const at = /\d{4}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : (at - nowMillis) / 1000
}

/** Of a rate limit, in its older spellings and within the one field of the newer. */
const resetOf = (headers: Headers): string | undefined =>
  headers["ratelimit-reset"] ??
  headers["x-ratelimit-reset"] ??
  headers["x-rate-limit-reset"] ??
  /(?:^|[\s;,])(?:reset|t)=(\d+)/.exec(headers["ratelimit"] ?? "")?.[1]

/** The service's clock, whose instants these are, where it is not ours; the header has whole seconds only. */
const clockOf = (date: string | undefined, nowMillis: number): number => {
  const served = Date.parse(date ?? "")
  return Math.abs(served - nowMillis) > SAME_CLOCK_MILLIS ? served : nowMillis
}

/** `undefined` where nothing is said, or only that the wait is over: then the caller's own backoff holds. */
export const delaySecondsOf = (
  status: number,
  headers: Headers,
  nowMillis: number,
): number | undefined => {
  const now = clockOf(headers["date"], nowMillis)
  const asked =
    secondsUntil(headers["retry-after"], now) ??
    (status === 429 ? secondsUntil(resetOf(headers), now) : undefined)
  return asked !== undefined && asked > 0 ? asked : undefined
}
