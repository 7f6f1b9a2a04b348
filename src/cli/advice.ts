// What to do about an answer of the service that is no success.
import { API_KEY } from "../config/settings.ts"
import { ApiError } from "../domain/errors.ts"

/** `undefined` where the error says it itself, or nothing can be done. */
export const adviceFor = (error: unknown): string | undefined => {
  if (!(error instanceof ApiError)) return undefined
  switch (error.reason._tag) {
    case "Unauthorized":
      return `The service wants a key, or does not know this one: check ${API_KEY}.`
    case "Forbidden":
      return "The service knows the key, but it may not do this; `vaulthouse doctor` shows what it may."
    case "InvalidInput":
      return "Nothing was sent. `vaulthouse call --list` shows the inputs of every endpoint."
    case "ContractViolation":
      return "`--raw` prints an answer as it was served."
    case "Transport":
      return "Check the base address and the network; `vaulthouse doctor` looks at both."
    case "RateLimited":
      return "Try again later, or slower with --max-requests-per-second."
    case "NotConfigured":
    case "NotFound":
    case "Unsupported":
    case "DependencyFailed":
    case "ServerError":
    case "UnexpectedStatus":
    case "Timeout":
      return undefined
  }
}
