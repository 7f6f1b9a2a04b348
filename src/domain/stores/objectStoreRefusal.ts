// Explains why object storage refused a request and what to do, for the archive and for DuckDB's own requests.
import { bucketAndPrefix } from "./objectStore.ts"

export type ObjectAction = "list" | "read" | "write" | "delete"

export interface ObjectRefusal {
  /** `s3://bucket/prefix`. */
  readonly location: string
  readonly action: ObjectAction
  /** The HTTP status. */
  readonly status: number
  /** S3's code of the error. */
  readonly code: string
  readonly message: string
  /** The region that the request was sent to. */
  readonly region: string
  /** The region of the bucket, according to the store. */
  readonly bucketRegion?: string | undefined
}

const PERMISSION: Readonly<Record<ObjectAction, string>> = {
  list: "s3:ListBucket",
  read: "s3:GetObject",
  write: "s3:PutObject",
  delete: "s3:DeleteObject",
}

const KEY_ERRORS: ReadonlySet<string> = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
])

const REGION_ERRORS: ReadonlySet<string> = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "UnexpectedRedirect",
])

export const explainRefusal = (
  refusal: ObjectRefusal,
): { readonly why: string; readonly advice: string } => {
  const { location, action, status, code, message, region, bucketRegion } = refusal
  const { bucket } = bucketAndPrefix(location)
  if (code === "NoSuchBucket") {
    return { why: `there is no bucket ${bucket}`, advice: "Create it, or correct its name." }
  }
  if (KEY_ERRORS.has(code)) {
    return {
      why: `${location} does not accept the key (${code})`,
      advice:
        "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for a temporary key, AWS_SESSION_TOKEN.",
    }
  }
  if (REGION_ERRORS.has(code) || status === 301) {
    const where = bucketRegion === undefined ? "" : `: in ${bucketRegion}`
    return {
      why: `the bucket ${bucket} is not in the region ${region}${where}`,
      advice: `Set AWS_REGION to ${bucketRegion ?? "that of the bucket"}.`,
    }
  }
  if (code === "RequestTimeTooSkewed") {
    return {
      why: `${location} refuses requests dated by a wrong clock (${code})`,
      advice: "Set this machine's clock.",
    }
  }
  if (status === 403) {
    return {
      why: `the key may not ${action} objects in ${location} (${code})`,
      advice: `Allow ${PERMISSION[action]} there.`,
    }
  }
  const said = code === "" ? `status ${status}` : `${code}, ${message.replace(/\.$/, "")}`
  return { why: `${location}: ${said}`, advice: "Try again later." }
}
