// What can go wrong between us and the service: one error, a tagged reason for each cause (§7).
import * as Data from "effect/Data"
import type { ArchivedResponse } from "./response.ts"

export type ApiErrorReason =
  /** Rejected before any request was sent (§7, client-side rules). */
  | { readonly _tag: "InvalidInput"; readonly parameter: string }
  /** No key, or one the service does not know (401). */
  | { readonly _tag: "Unauthorized" }
  /** The key may not read this (403). */
  | { readonly _tag: "Forbidden" }
  /** A path the document does not show and configuration does not name. */
  | { readonly _tag: "NotConfigured"; readonly setting: string }
  /** Nothing there; `expected` where the document lists it as an ordinary absence (§7). */
  | { readonly _tag: "NotFound"; readonly expected: boolean }
  /** The service does not offer this for this vault (400, 422). */
  | { readonly _tag: "Unsupported" }
  /** External data could not be fetched (424). */
  | { readonly _tag: "DependencyFailed" }
  /**
   * 429, or a failure whose `Retry-After` is longer than the call may take; `delaySeconds` is how long the
   * service asks to wait, when it says.
   */
  | { readonly _tag: "RateLimited"; readonly delaySeconds: number | undefined }
  | { readonly _tag: "ServerError" }
  /** Any other answer that is not a success, a redirect elsewhere included. */
  | { readonly _tag: "UnexpectedStatus" }
  | { readonly _tag: "Timeout"; readonly of: "attempt" | "task"; readonly seconds: number }
  /** No answer, or not all of it: refused, reset, cut short; or the service says so of the request (408). */
  | { readonly _tag: "Transport" }
  /** A 200 whose body is not what the document says; the body is in the archive. */
  | { readonly _tag: "ContractViolation"; readonly path: string }

export type ApiErrorTag = ApiErrorReason["_tag"]

const retryable: ReadonlySet<ApiErrorTag> = new Set<ApiErrorTag>([
  "DependencyFailed",
  "RateLimited",
  "ServerError",
  "Transport",
])

/** Whether asking once more can help. */
export const isRetryable = (reason: ApiErrorReason): boolean =>
  reason._tag === "Timeout" ? reason.of === "attempt" : retryable.has(reason._tag)

export class ApiError extends Data.TaggedError("ApiError")<{
  readonly reason: ApiErrorReason
  readonly endpoint: string
  /** Vault, subaccount or loan asked about; `-` where there is none. */
  readonly subject: string
  readonly status: number | undefined
  /** The server's own words, or what was wrong; never holds a credential. */
  readonly detail: string
  readonly attempts: number
  /** Every response received on the way here; they are in the archive like any other. */
  readonly responses: ReadonlyArray<ArchivedResponse>
}> {
  /** Whether asking once more can help. */
  get isRetryable(): boolean {
    return isRetryable(this.reason)
  }

  override get message(): string {
    const subject = this.subject === "-" ? "" : ` for ${this.subject}`
    const status = this.status === undefined ? "" : ` (HTTP ${this.status})`
    const attempts = this.attempts > 1 ? `, after ${this.attempts} attempts` : ""
    return `${this.endpoint}${subject}: ${this.detail}${status}${attempts}`
  }
}
