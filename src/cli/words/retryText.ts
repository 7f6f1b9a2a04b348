// Reports retries while the service fails: one line each, and not too often.
import type { Retry } from "../../domain/wire/retry.ts"
import { duration } from "./numbers.ts"
import { printError } from "../terminal/output.ts"

/** For lines that stay on the screen or in a log. */
const MILLIS_BETWEEN_LINES = 10_000

/** The wait comes first because a narrow terminal cuts off the end. */
export const retryText = ({ status, detail, waitSeconds, attempt, attempts }: Retry): string => {
  const wait = waitSeconds < 0.1 ? "at once" : `in ${duration(waitSeconds)}`
  const [problem = ""] = detail.split("; ")
  const why = status === undefined ? problem : `${problem} (HTTP ${status})`
  return `trying again ${wait} (attempt ${attempt} of ${attempts}): ${why}`
}

/** Returns a function that tells whether it is time for another line about something frequent. */
export const lineTimer = (): (() => boolean) => {
  let next = 0
  return () => {
    const now = performance.now()
    if (now < next) return false
    next = now + MILLIS_BETWEEN_LINES
    return true
  }
}

/** Returns a function that prints retries on standard error, the first at once. */
export const retryPrinter = (): ((retry: Retry) => void) => {
  const isTime = lineTimer()
  return (retry) => {
    if (isTime()) printError(`${retry.endpoint}: ${retryText(retry)}\n`)
  }
}
