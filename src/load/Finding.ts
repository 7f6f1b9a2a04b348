// What `verify` reports of one thing that is wrong.

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
  /** Below the data directory; of what is in the copy, its name after a space. */
  readonly path: string
  readonly detail: string
}

/** The published copy, below the data directory. */
export const PUBLISHED = "published/vaulthouse.duckdb"

export const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
