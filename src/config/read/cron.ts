// Reads a cron expression: one of five fields that is due on some day.
import * as Cron from "effect/Cron"
import * as Result from "effect/Result"

// The parser takes a sixth field too, in front, for seconds: with one `*` too many, a schedule would read the service
// every minute.
const FIELDS = 5

/** Fails with a phrase that says what is wrong; `undefined` if it is no such expression. */
export const readCron = (text: string): Result.Result<string, string | undefined> => {
  const parsed = Cron.parse(text, "UTC")
  const fields = text.trim().split(/\s+/).length
  if (Result.isFailure(parsed) || fields !== FIELDS) return Result.fail(undefined)
  return Result.try({
    try: () => (Cron.next(parsed.success, new Date(0)), text),
    catch: () => "names a day that its months don't have, so it would never be due",
  })
}
