// Why object storage refuses a request, and what to do about it: for the archive, and for DuckDB's own requests.
import { bucketAndPrefix } from "./objectStore.ts"

export type ObjectAction = "list" | "read" | "write" | "delete"

export interface ObjectRefusal {
  /** `s3://bucket/prefix`. */
  readonly location: string
  readonly action: ObjectAction
  /** HTTP status. */
  readonly status: number
  /** As S3 names the error. */
  readonly code: string
  readonly message: string
  /** Region that the request was sent to. */
  readonly region: string
  /** Region that the bucket is in, as the store says. */
  readonly itsRegion?: string | undefined
}

const PERMISSION: Readonly<Record<ObjectAction, string>> = {
  list: "s3:ListBucket",
  read: "s3:GetObject",
  write: "s3:PutObject",
  delete: "s3:DeleteObject",
}

const NOT_ACCEPTED: ReadonlySet<string> = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
])

const ELSEWHERE: ReadonlySet<string> = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "UnexpectedRedirect",
])

export const explainRefusal = (
  refusal: ObjectRefusal,
): { readonly why: string; readonly advice: string } => {
  const { location, action, status, code, message, region, itsRegion } = refusal
  const { bucket } = bucketAndPrefix(location)
  if (code === "NoSuchBucket") {
    return { why: `there is no bucket ${bucket}`, advice: "Create it, or correct its name." }
  }
  if (NOT_ACCEPTED.has(code)) {
    return {
      why: `${location} does not accept the key (${code})`,
      advice:
        "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for a temporary key, AWS_SESSION_TOKEN.",
    }
  }
  if (ELSEWHERE.has(code) || status === 301) {
    const where = itsRegion === undefined ? "" : `: in ${itsRegion}`
    return {
      why: `the bucket ${bucket} is not in the region ${region}${where}`,
      advice: `Set AWS_REGION to ${itsRegion ?? "that of the bucket"}.`,
    }
  }
  if (status === 403) {
    return {
      why: `the key may not ${action} objects in ${location} (${code})`,
      advice: `Allow ${PERMISSION[action]} there.`,
    }
  }
  return { why: `${location}: ${code}, ${message.replace(/\.$/, "")}`, advice: "Try again later." }
}
