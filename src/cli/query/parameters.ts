// `--param name=value`: what was typed, as a value of the type it looks like.
import * as Result from "effect/Result"
import { parseDay, parseInstant } from "../../domain/time.ts"
import type { QueryParameter, QueryParameters } from "../../pipelines/readers/published.ts"
import { UsageError } from "../errors.ts"

const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const day = /^\d{4}-\d{2}-\d{2}$/
const instant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/
const quoted = /^(['"])(.*)\1$/s

/** What is quoted is text, whatever it looks like; so is an integer a double would round. */
export const typedValue = (text: string): QueryParameter => {
  const inQuotes = quoted.exec(text)?.[2]
  if (inQuotes !== undefined) return inQuotes
  if (text === "null") return null
  if (text === "true" || text === "false") return text === "true"
  // 007 is a name of something, not 7.
  if (number.test(text) && !/^0\d/.test(text)) {
    const value = Number(text)
    const isRounded = /^[+-]?\d+$/.test(text) && !Number.isSafeInteger(value)
    return isRounded || !Number.isFinite(value) ? text : value
  }
  if (day.test(text)) {
    const days = parseDay(text)
    if (days !== undefined) return { day: days }
  }
  if (instant.test(text)) {
    const micros = parseInstant(text)
    if (micros !== undefined) return { micros }
  }
  return text
}

export const readParameters = (given: unknown): Result.Result<QueryParameters, UsageError> => {
  const pairs = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String)
  const wrong = pairs.find((pair) => !/^\w+=/.test(pair))
  if (wrong !== undefined) {
    return Result.fail(
      new UsageError({
        why: `--param ${wrong} is not of the form name=value.`,
        advice: "`--param day=2026-01-31` is the value of $day in the SQL.",
      }),
    )
  }
  return Result.succeed(
    Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf("=")
        return [pair.slice(0, at), typedValue(pair.slice(at + 1))]
      }),
    ),
  )
}
