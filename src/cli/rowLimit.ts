// `--max-rows`, for the commands that print lists.
import * as Effect from "effect/Effect"
import { type Arguments, textOf } from "./Command.ts"
import { UsageError } from "./errors.ts"

export const rowLimit = (argv: Arguments): Effect.Effect<number, UsageError> => {
  const text = textOf(argv, "max-rows") ?? ""
  const limit = Number(text)
  return /^\d+$/.test(text) && Number.isSafeInteger(limit)
    ? Effect.succeed(limit)
    : Effect.fail(new UsageError({ why: `--max-rows ${text} is not a number of rows.` }))
}
