// Finds out which of DuckDB's requests object storage refused, and why. DuckDB's extension httpfs reports it only in a
// message: the request with its address and status in one line, S3's own code and text in a later one.
import { type ObjectAction, explainRefusal } from "../../domain/stores/objectStoreRefusal.ts"

// A write names the object, a read the address that it was requested from.
const REQUEST = /HTTP Error: .*?(?:(s3:\/\/[^\s'":]*)|'(https?:\/\/[^']*)')/
const HOST_WITH_BUCKET = /^(.+)\.s3[.-].*amazonaws\.com/
const STATUS = /HTTP(?: code)? (\d{3})/
const REGION = /in region '([^']+)'/
const CODE = /^([A-Z]\w+): (.*)$/m

const actionOf = (text: string): ObjectAction => {
  if (text.includes("Unable to connect to URL")) return "write"
  return text.includes("LINE 1") ? "list" : "read"
}

/** An endpoint has the bucket in the path, AWS in the name of the host. */
const objectAt = (address: string): string => {
  const { hostname, pathname } = new URL(address)
  const [, bucket] = HOST_WITH_BUCKET.exec(hostname) ?? []
  return `s3:/${bucket === undefined ? "" : `/${bucket}`}${decodeURIComponent(pathname)}`
}

interface ObjectStoreProblem {
  /** A missing object is a matter of its table alone. */
  readonly reason: "Files" | "Database"
  readonly why: string
  readonly advice: string
}

/**
 * `undefined` for any other message. `place` replaces the object that the message names, if the request's target is
 * known.
 */
export const objectStoreProblem = (
  text: string,
  place?: string,
): ObjectStoreProblem | undefined => {
  const [request, object, address = ""] = REQUEST.exec(text) ?? []
  if (request === undefined) return undefined
  const location = place ?? object ?? objectAt(address)
  const [first = "", ...others] = text.slice(text.indexOf(request)).split("\n")
  const [, code = "", message = ""] = CODE.exec(others.join("\n")) ?? []
  const action = actionOf(text)
  const status = Number(STATUS.exec(first)?.[1])
  // The HEAD that DuckDB mostly begins with has no code.
  if (action === "read" && (code === "NoSuchKey" || (status === 404 && code === ""))) {
    return {
      reason: "Database",
      why: `there is no object ${location}, although the lake's catalog names it`,
      advice:
        "No run brings it back. Restore it, from an earlier version of the object or a backup of the bucket; otherwise rebuild the lake from the archive (docs/lake.md).",
    }
  }
  const region = REGION.exec(first)?.[1] ?? ""
  return {
    reason: "Files",
    ...explainRefusal({ location, action, status, code, message, region }),
  }
}
