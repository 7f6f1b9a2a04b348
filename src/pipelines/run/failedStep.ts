// What an error of the service's becomes: the step, and so the task's record, of what was not read.
import type { ApiError } from "../../domain/errors.ts"
import type { Outcome } from "../../domain/outcome.ts"
import type { Step } from "../Pipeline.ts"

/** What an error that ended a whole task means for it. */
const outcomeOf = ({ reason }: ApiError): Outcome => {
  switch (reason._tag) {
    case "Unauthorized":
    case "Forbidden":
    case "NotConfigured":
      return "skipped"
    case "NotFound":
      return reason.expected ? "empty" : "failed"
    case "Unsupported":
      return "unsupported"
    case "RateLimited":
      return "deferred"
    case "ContractViolation":
      return "quarantined"
    default:
      return "failed"
  }
}

/** The step of a window that could not be read; `window` as its success would have named it. */
export const failedStep = (error: ApiError, window: string): Step => ({
  window,
  endpoint: error.endpoint,
  outcome: outcomeOf(error),
  rows: [],
  responses: error.responses,
  requests: error.attempts,
  error,
})
