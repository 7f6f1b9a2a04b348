// S3-compatible object storage: locations (`s3://bucket/prefix`) and credentials.
import type * as Redacted from "effect/Redacted"

export const isInObjectStore = (location: string): boolean => location.startsWith("s3://")

/** The parts of `s3://bucket/prefix`; the prefix is empty or ends with a slash. */
export const bucketAndPrefix = (location: string) => {
  const [bucket = "", ...folders] = location.slice("s3://".length).split("/")
  const prefix = folders.filter((folder) => folder !== "").join("/")
  return { bucket, prefix: prefix === "" ? "" : `${prefix}/` }
}

export interface ObjectStoreAccess {
  /** `undefined` if no environment variable has one. */
  readonly key:
    | {
        readonly id: string
        readonly secret: Redacted.Redacted<string>
        readonly sessionToken: Redacted.Redacted<string> | undefined
      }
    | undefined
  readonly region: string
  /** The address of a store other than AWS's, where buckets are part of the path. */
  readonly endpoint: URL | undefined
}
