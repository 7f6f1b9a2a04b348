// What a command is waiting for while the service fails, in one line, and not too often.
import type { Retry } from "../domain/retry.ts"
import { duration } from "./numbers.ts"
import { printError } from "./output.ts"

/** Where lines stay on the screen or in a log. */
const MILLIS_BETWEEN_LINES = 10_000

/** The wait first, as a narrow terminal cuts the end off. */
export const retryText = ({ status, detail, waitSeconds, attempt, attempts }: Retry): string => {
  const wait = waitSeconds < 0.1 ? "at once" : `in ${duration(waitSeconds)}`
  const [what = ""] = detail.split("; ")
  const why = status === undefined ? what : `${what} (HTTP ${status})`
  return `trying again ${wait} (attempt ${attempt} of ${attempts}): ${why}`
}

/** Whether it is time for another line about something that happens all the time. */
export const seldom = (): (() => boolean) => {
  let next = 0
  return () => {
    const now = performance.now()
    if (now < next) return false
    next = now + MILLIS_BETWEEN_LINES
    return true
  }
}

/** Prints retries on standard error, the first at once. */
export const retryPrinter = (): ((retry: Retry) => void) => {
  const isTime = seldom()
  return (retry) => {
    if (isTime()) printError(`${retry.endpoint}: ${retryText(retry)}\n`)
  }
}
