// Reads the values of flags and positionals from the parsed command line.
import * as Effect from "effect/Effect"
import { parseDuration } from "../../config/read/duration.ts"
import { parseInstant, parseIsoDay } from "../../domain/values/time.ts"
import type { UsageError } from "../../domain/UsageError.ts"
import type { Arguments } from "./Command.ts"
import { wrongUse } from "./errors.ts"

/** The value of a text flag or positional; `undefined` if it was not given. */
export const textOf = (argv: Arguments, name: string): string | undefined => {
  const value = argv[name]
  return typeof value === "string" ? value : undefined
}

/** Every value of a flag that may be repeated. */
export const repeatedOf = (argv: Arguments, name: string): ReadonlyArray<string> => {
  const value = argv[name]
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return values.filter((text) => typeof text === "string")
}

/** Every value of a flag or positional that may be repeated; commas also separate values. */
export const textsOf = (argv: Arguments, name: string): ReadonlyArray<string> =>
  repeatedOf(argv, name)
    .flatMap((text) => text.split(","))
    .map((text) => text.trim())
    .filter((text) => text !== "")

/** Values given as `--flag name=value`. */
export const pairsOf = Effect.fnUntraced(function* (
  argv: Arguments,
  flag: string,
  advice?: string,
) {
  const pairs = new Map<string, string>()
  for (const pair of repeatedOf(argv, flag)) {
    const [, name, value = ""] = /^([\w.]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined) {
      return yield* wrongUse(`--${flag} ${pair} is not of the form name=value.`, advice)
    }
    if (pairs.has(name)) {
      const why = `--${flag} ${name} is given twice; write a list as one value with commas.`
      return yield* wrongUse(why, advice)
    }
    pairs.set(name, value)
  }
  return Object.fromEntries(pairs)
})

/** The value of a flag that takes a whole number. */
export const numberOf = (
  argv: Arguments,
  flag: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): Effect.Effect<number, UsageError> => {
  const text = textOf(argv, flag) ?? ""
  const number = Number(text)
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return /^\d+$/.test(text) && number >= least && number <= most
    ? Effect.succeed(number)
    : wrongUse(`--${flag} ${text} is not a whole number ${range}.`)
}

/** `--max-rows` of the commands that print lists. */
export const rowLimit = (argv: Arguments): Effect.Effect<number, UsageError> =>
  numberOf(argv, "max-rows", 1)

/** The value of a flag that takes a duration, in seconds; `undefined` without the flag. */
export const secondsOf = (
  argv: Arguments,
  flag: string,
): Effect.Effect<number | undefined, UsageError> => {
  const text = textOf(argv, flag)
  const seconds = parseDuration(text)
  return text === undefined || seconds !== undefined
    ? Effect.succeed(seconds)
    : wrongUse(`--${flag} ${text} is not a duration above 0 such as 30s or 5min.`)
}

/** The value of a flag that takes a day, in days since 1970; `undefined` without the flag. */
export const dayOf = (
  argv: Arguments,
  flag: string,
): Effect.Effect<number | undefined, UsageError> => {
  const text = textOf(argv, flag)
  const day = parseIsoDay(text)
  return text === undefined || day !== undefined
    ? Effect.succeed(day)
    : wrongUse(`--${flag} ${text} is not a day: write YYYY-MM-DD, such as 2026-01-31.`)
}

/**
 * The value of a flag that takes an instant, in microseconds since 1970; `undefined` without the flag. A day is its
 * beginning, and an instant without an offset is UTC.
 */
export const instantOf = (
  argv: Arguments,
  flag: string,
): Effect.Effect<number | undefined, UsageError> => {
  const text = textOf(argv, flag)
  const micros = /^\d{4}-\d{2}-\d{2}/.test(text ?? "") ? parseInstant(text) : undefined
  return text === undefined || micros !== undefined
    ? Effect.succeed(micros)
    : wrongUse(
        `--${flag} ${text} is not an instant: write 2026-01-31T18:00:00Z, or 2026-01-31 for the beginning of that day.`,
      )
}
