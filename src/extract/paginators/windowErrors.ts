// Errors that concern one window of a series.
import { ApiError, type ApiErrorTag } from "../../domain/wire/errors.ts"

const tags: ReadonlySet<ApiErrorTag> = new Set<ApiErrorTag>([
  "ContractViolation",
  "DependencyFailed",
  "ServerError",
  "Timeout",
  "Transport",
  "UnexpectedStatus",
])

/**
 * Whether an error concerns one window, so that it must not prevent reading others; all others (no access, no such vault, a rate
 * limit) concern every window.
 */
export const isOfOneWindow = (error: unknown): error is ApiError =>
  error instanceof ApiError && tags.has(error.reason._tag)
