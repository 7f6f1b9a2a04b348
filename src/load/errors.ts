// What can go wrong between us and the warehouse's files, in words a user can act on.
import * as Data from "effect/Data"

export type LoadErrorReason =
  /** A row the table can't hold: null in a required column, NaN, another type, a wrong shape. */
  | "InvalidRow"
  /** The stored schema differs in a way that can't be migrated by adding. */
  | "Migration"
  /** DuckDB refused or failed: disk full, out of memory, a conflict. */
  | "Database"
  /** The reader copy, Parquet or the manifest could not be written or read. */
  | "Files"
  /** The warehouse was closed before the batch was committed. */
  | "Closed"

export class LoadError extends Data.TaggedError("LoadError")<{
  readonly reason: LoadErrorReason
  /** What was being done, and to which table, file or column. */
  readonly what: string
  readonly why: string
  readonly advice: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `${this.what}: ${this.why}. ${this.advice}`
  }
}

/** Another process holds the warehouse; the command ends with exit code 75. */
export class WarehouseLocked extends Data.TaggedError("WarehouseLocked")<{
  readonly file: string
  /** Who holds it, as its lock file says; `undefined` when only DuckDB's own lock was met. */
  readonly holder:
    | { readonly pid: number; readonly host: string; readonly since: string }
    | undefined
}> {
  override get message(): string {
    const who =
      this.holder === undefined
        ? "another process"
        : `process ${this.holder.pid} on ${this.holder.host} since ${this.holder.since}`
    return (
      `The warehouse is held by ${who} (${this.file}). Wait for it, or pass --wait; ` +
      `if that host no longer runs it, remove the lock file.`
    )
  }
}

// DuckDB quotes our SQL below its message: of no use to who reads it, and in the cause all the same.
const reasonOf = (cause: unknown): string => {
  const text = cause instanceof Error ? cause.message : String(cause)
  return (text.split("\n\nLINE ")[0] ?? text).trim().replace(/\.$/, "")
}

/** The file system lets nobody write there, or not this user. */
const isRefused = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  ["EACCES", "EPERM", "EROFS", "EEXIST", "ENOTDIR", "ENOENT"].includes(String(cause.code))

/** A failure DuckDB reported while doing `what`. */
export const databaseError = (what: string, cause: unknown): LoadError =>
  cause instanceof LoadError
    ? cause
    : new LoadError({
        reason: "Database",
        what,
        why: reasonOf(cause),
        advice: isRefused(cause)
          ? "Nothing was changed. Check that the folder can be written by this user, or name another with --data-dir."
          : "Nothing of it was kept; check disk space and memory, then run again.",
        cause,
      })

export const filesError = (what: string, cause: unknown): LoadError =>
  cause instanceof LoadError
    ? cause
    : new LoadError({
        reason: "Files",
        what,
        why: reasonOf(cause),
        advice:
          "Readers keep the files they had; check disk space and permissions, then publish again.",
        cause,
      })
