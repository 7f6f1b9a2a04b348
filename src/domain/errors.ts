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
  /** 429; `delaySeconds` is the server's `Retry-After`, when it gave one. */
  | { readonly _tag: "RateLimited"; readonly delaySeconds: number | undefined }
  | { readonly _tag: "ServerError" }
  /** Any other answer that is not a success, a redirect elsewhere included. */
  | { readonly _tag: "UnexpectedStatus" }
  | { readonly _tag: "Timeout"; readonly of: "attempt" | "task"; readonly seconds: number }
  /** No answer, or not all of it: refused, reset, cut short. */
  | { readonly _tag: "Transport" }
  /** A 200 whose body is not what the document says; the body is in the archive. */
  | {
      readonly _tag: "ContractViolation"
      readonly path: string
      /** The JSON ends in the middle: the rest may only have been lost on the way. */
      readonly isCutShort?: boolean
    }

export type ApiErrorTag = ApiErrorReason["_tag"]

const retryable: ReadonlySet<ApiErrorTag> = new Set<ApiErrorTag>([
  "DependencyFailed",
  "RateLimited",
  "ServerError",
  "Transport",
])

// A body that ends early every time is what the service means to send.
const CUT_SHORT_ATTEMPTS = 3

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
    const { reason } = this
    if (reason._tag === "Timeout") return reason.of === "attempt"
    if (reason._tag === "ContractViolation") {
      return reason.isCutShort === true && this.attempts < CUT_SHORT_ATTEMPTS
    }
    return retryable.has(reason._tag)
  }

  override get message(): string {
    const subject = this.subject === "-" ? "" : ` for ${this.subject}`
    const status = this.status === undefined ? "" : ` (HTTP ${this.status})`
    const attempts = this.attempts > 1 ? `, after ${this.attempts} attempts` : ""
    return `${this.endpoint}${subject}: ${this.detail}${status}${attempts}`
  }
}
