// What a command waits for while the service fails it, in one line, and not too often.
import type { Retry } from "../domain/retry.ts"

/** Where lines stay on the screen or in a log. */
const MILLIS_BETWEEN_LINES = 10_000

/** What is to come first, as a narrow terminal cuts the end off. */
export const retryText = ({ status, detail, waitSeconds, attempt, attempts }: Retry): string => {
  const wait = waitSeconds < 0.1 ? "at once" : `in ${seconds(waitSeconds)}`
  const [what = ""] = detail.split("; ")
  const why = status === undefined ? what : `${what} (HTTP ${status})`
  return `trying again ${wait} (attempt ${attempt} of ${attempts}): ${why}`
}

const seconds = (many: number): string =>
  many < 10 ? `${many.toFixed(1)} s` : `${Math.ceil(many)} s`

/** Whether it is time for another line about what goes on all the time. */
export const seldom = (): (() => boolean) => {
  let next = 0
  return () => {
    const now = performance.now()
    if (now < next) return false
    next = now + MILLIS_BETWEEN_LINES
    return true
  }
}

/** Tells of retries on standard error, of the first at once. */
export const tellOfRetries = (): ((retry: Retry) => void) => {
  const isTime = seldom()
  return (retry) => {
    if (isTime()) process.stderr.write(`${retry.endpoint}: ${retryText(retry)}\n`)
  }
}
