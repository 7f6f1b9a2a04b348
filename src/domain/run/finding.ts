// A finding of `verify`: something on disk that is not as the manifest, the archive or its index says.

export interface Finding {
  readonly kind:
    | "missing"
    | "extra"
    | "size"
    | "checksum"
    | "rows"
    | "content"
    | "unreadable"
    | "stamp"
  /** Path below the data directory; for a table or view in the copy, followed by a space and its name. */
  readonly path: string
  readonly detail: string
}
