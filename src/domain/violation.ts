// What is wrong with a response or a record.

export interface Violation {
  /** Path in the body; `$` is all of it. */
  readonly path: string
  readonly detail: string
}

/** A record that can't become a row: it is quarantined, the others of its list land. */
export interface RejectedRecord extends Violation {
  readonly record: unknown
}

/** Schema drift: a field that is reported, though nothing failed. */
export interface Drift {
  /** Path of the field in a record, for example `$.fee.bps`. */
  readonly path: string
  readonly kind: "unknown_field" | "other_type" | "deprecated_field"
  readonly detail: string
}
