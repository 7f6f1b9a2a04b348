// What in a response is not as documented.

export interface Violation {
  /** Path in the body, `$` being the whole. */
  readonly path: string
  readonly detail: string
}

/** A field worth telling someone about, though nothing failed for it. */
export interface Drift {
  /** Path of the field in a record, for example `$.fee.bps`. */
  readonly path: string
  readonly kind: "unknown_field" | "other_type" | "deprecated_field"
  readonly detail: string
}
