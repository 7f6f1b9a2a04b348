// The error of a call, with a tagged reason for each cause (§7).
import * as Data from "effect/Data"
import { withAttempts } from "../values/errorText.ts"
import type { ArchivedResponse } from "./response.ts"

export type ApiErrorReason =
  /** Rejected before any request was sent (§7, client-side rules). */
  | { readonly _tag: "InvalidInput"; readonly parameter: string }
  /** There is no key, or the service does not know it (401). */
  | { readonly _tag: "Unauthorized" }
  /** The key has no access (403). */
  | { readonly _tag: "Forbidden" }
  /** The document does not show the path, and the configuration does not name it or names an invalid one. */
  | { readonly _tag: "NotConfigured"; readonly setting: string }
  /** 404 or similar; `expected` if the document lists it as an absence (§7). */
  | { readonly _tag: "NotFound"; readonly expected: boolean }
  /** The service does not offer this for the vault or transaction (400, 422). */
  | { readonly _tag: "Unsupported" }
  /** External data could not be fetched (424). */
  | { readonly _tag: "DependencyFailed" }
  /** 429, or a `Retry-After` longer than the call may take, also of other requests; `delaySeconds` is that wait. */
  | { readonly _tag: "RateLimited"; readonly delaySeconds: number | undefined }
  | { readonly _tag: "ServerError" }
  /** Any other unsuccessful status, including redirects. */
  | { readonly _tag: "UnexpectedStatus" }
  | { readonly _tag: "Timeout"; readonly of: "attempt" | "task"; readonly seconds: number }
  /** There was no complete response, or the service did not receive the complete request (408). */
  | { readonly _tag: "Transport" }
  /** The body exceeds `maxResponseMegabytes`, compressed or decompressed. */
  | { readonly _tag: "ResponseTooLarge"; readonly megabytes: number }
  /** The body of a successful response is not as documented; it is in the archive. */
  | {
      readonly _tag: "ContractViolation"
      readonly path: string
      /** Lines for the setting `fields` that would settle it. */
      readonly proposal?: string
    }
  /** A bug in vaulthouse. */
  | { readonly _tag: "Defect" }

export type ApiErrorTag = ApiErrorReason["_tag"]

const retryable: ReadonlySet<ApiErrorTag> = new Set<ApiErrorTag>([
  "DependencyFailed",
  "RateLimited",
  "ServerError",
  "Transport",
])

/** Whether errors of this kind are retried within a run, so that a task which keeps failing costs time. */
export const isRetried = (tag: string): boolean =>
  tag === "Timeout" || retryable.has(tag as ApiErrorTag)

/** Whether another attempt can help. */
export const isRetryable = (reason: ApiErrorReason): boolean =>
  reason._tag === "Timeout" ? reason.of === "attempt" : retryable.has(reason._tag)

export class ApiError extends Data.TaggedError("ApiError")<{
  readonly reason: ApiErrorReason
  readonly endpoint: string
  /** The vault, subaccount, loan or transaction of the request, or `-`. */
  readonly subject: string
  readonly status: number | undefined
  /** The service's message, or what went wrong; never contains a credential. */
  readonly detail: string
  readonly attempts: number
  /** Every response of the call. All of them are in the archive. */
  readonly responses: ReadonlyArray<ArchivedResponse>
}> {
  /** Whether another attempt can help. */
  get isRetryable(): boolean {
    return isRetryable(this.reason)
  }

  /** The same text for every request that fails for the same reason, so that a summary can show it once. */
  get problem(): string {
    return this.status === undefined ? this.detail : `${this.detail} (HTTP ${this.status})`
  }

  override get message(): string {
    const subject = this.subject === "-" ? "" : ` for ${this.subject}`
    // Without a status the text is ours, and may end with advice; the service's own stays in one piece.
    const problem =
      this.status === undefined
        ? withAttempts(this.problem, this.attempts)
        : `${this.problem}${this.attempts > 1 ? `, after ${this.attempts} attempts` : ""}`
    return `${this.endpoint}${subject}: ${problem}`
  }
}
