// `--vault` of the commands that read: one address, in the spelling the tables have.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseAddress } from "../domain/address.ts"
import { type Arguments, textOf } from "./Command.ts"
import { UsageError } from "./errors.ts"

export const vaultFlag = (argv: Arguments): Effect.Effect<string | undefined, UsageError> => {
  const text = textOf(argv, "vault")
  if (text === undefined) return Effect.succeed(undefined)
  return Result.match(parseAddress(text), {
    onSuccess: ({ canonical }) => Effect.succeed(canonical),
    onFailure: (why) => Effect.fail(new UsageError({ why: `--vault ${text}: ${why}` })),
  })
}
