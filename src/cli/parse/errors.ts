// Errors as a user reads them: what is wrong with the command line, and what to do about each kind of failure.
import * as Effect from "effect/Effect"
import { API_KEY } from "../../config/settings/Setting.ts"
import { ApiError } from "../../domain/wire/errors.ts"
import { UsageError } from "../../domain/UsageError.ts"
import { complaintText } from "../terminal/complaints.ts"
import { causeMessage } from "../../domain/values/causeMessage.ts"

/** Fails because the command line is wrong. */
export const wrongUse = (why: string, advice?: string): Effect.Effect<never, UsageError> =>
  Effect.fail(new UsageError(advice === undefined ? { why } : { why, advice }))

/** What to do about an error response; `undefined` if the error says it, or nothing can be done. */
const adviceFor = (error: unknown): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  switch (error.reason._tag) {
    case "Unauthorized":
      return `The service requires a key, or does not know this one: check ${API_KEY}.`
    case "Forbidden":
      return "The key is valid but has no access to this; `vaulthouse doctor` shows what it has access to."
    case "InvalidInput":
      return "Nothing was sent. `vaulthouse call --list` shows the inputs of every endpoint."
    case "ContractViolation":
      return "`--raw` prints the response as received."
    case "Transport":
      return "`vaulthouse doctor` checks the connection."
    case "RateLimited":
      return "Try again later, or with a lower --max-requests-per-second."
    case "NotConfigured":
    case "ResponseTooLarge":
    case "NotFound":
    case "Unsupported":
    case "Defect":
    case "DependencyFailed":
    case "ServerError":
    case "UnexpectedStatus":
    case "Timeout":
      return undefined
  }
}

/** A typed error explains itself; anything else is a bug of vaulthouse. */
export const errorText = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "_tag" in error && error instanceof Error) {
    const advice = adviceFor(error)
    return `${complaintText(error.message.trim())}${advice === undefined ? "" : `\n${advice}`}`
  }
  const text = causeMessage(error)
  return `${complaintText("unexpected error")}: ${text.split("\n")[0] ?? ""}\nThis is a bug: please report it with the output of --log-level debug.`
}
