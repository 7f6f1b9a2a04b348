// The errors of the warehouse, its files and its publications, each with advice for the user.
import * as Data from "effect/Data"
import type { Claim } from "../domain/run/claim.ts"
import { objectStoreProblem } from "./duckdb/objectStoreProblem.ts"
import { BrokenLink } from "../domain/brokenLink.ts"
import { BrokenInvariant } from "../domain/invariant.ts"
import { causeMessage } from "../domain/values/causeMessage.ts"
import { fullDiskReason, isNotPermitted } from "../domain/values/fileReason.ts"
import { visible } from "../domain/values/visible.ts"

export type LoadErrorReason =
  /** A row the table can't hold: null in a required column, NaN, a value of another type. */
  | "InvalidRow"
  /** What must hold whenever rows are written does not: a defect of vaulthouse. */
  | "Invariant"
  /** The stored schema differs in a way that adding can't migrate. */
  | "Migration"
  /** DuckDB refused or failed: out of memory, a conflict. */
  | "Database"
  /** The PostgreSQL with a lake's catalog refused or failed, or the connection to it was lost. */
  | "Catalog"
  /** A file or folder could not be written or read: disk full, no permission, no access to object storage. */
  | "Files"
  /** An extension of DuckDB's is missing, or is not for this version. */
  | "Extension"
  /** Another worker has claimed the task since, or its run has ended. */
  | "ClaimLost"
  /** The batch that it follows was not committed. */
  | "NotTried"
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

export const claimLost = ({ runId, pipeline, entity }: Claim): LoadError =>
  new LoadError({
    reason: "ClaimLost",
    // The queue stores it, and PostgreSQL has no U+0000.
    what: `Committing ${pipeline} of ${visible(entity)}`,
    why: `this worker no longer has the task: another has claimed it since, or run ${runId} has ended`,
    advice: "None of it was kept.",
  })

/** Another process holds the warehouse, or schedules its runs; the command ends with exit code 75. */
export class WarehouseLocked extends Data.TaggedError("WarehouseLocked")<{
  readonly file: string
  /** `undefined` if the holder has not recorded who it is. */
  readonly holder:
    | { readonly pid: number; readonly host: string; readonly since: string }
    | undefined
  readonly isScheduler?: boolean
}> {
  /** The holder in words. */
  get who(): string {
    return this.holder === undefined
      ? "another process"
      : `process ${this.holder.pid} on ${this.holder.host}`
  }

  override get message(): string {
    const since = this.holder === undefined ? "" : ` since ${this.holder.since}`
    const holder = `${this.who}${since}`
    if (this.isScheduler === true) {
      return `The runs are scheduled by ${holder} (${this.file}). Leave them to it, or stop it first.`
    }
    return `The warehouse is in use by ${holder} (${this.file}). Try again when it has ended; \`sync --wait\` waits for it.`
  }
}

/** Why a publication to PostgreSQL failed, and what to do about it. Messages name the target without user and password. */
export class PostgresError extends Data.TaggedError("PostgresError")<{
  /** The target, as it may be shown. */
  readonly target: string
  readonly why: string
  readonly advice: string
  readonly cause?: unknown
}> {
  /** The message without the advice. */
  get problem(): string {
    return `Publishing to ${this.target} failed: ${this.why}.`
  }

  override get message(): string {
    return `${this.problem} ${this.advice}`
  }
}

/** DuckDB's extensions report an error of PostgreSQL after texts of their own, and often after all of the SQL; DuckDB, one of a file. */
const quotesSql = /Failed to (?![\w ]*\b(?:directory|file)\b)[\w ]+ "[\s\S]*": ?([^\n]*)/
const namesCatalog =
  /^[^\n]*\b(?:DuckLake|Postgres|prepared statement|copy data)\b[^\n]*?: ?([^\n:]*)$/m

// Where the connection is lost while DuckLake looks up what only helps it plan, it goes on, and its next statement fails
// because of that.
const LOST = /^$|^Current transaction is aborted/

/** The error of PostgreSQL, which holds a lake's catalog, if it caused the failure. */
const catalogReason = (cause: unknown): string | undefined => {
  const text = cause instanceof Error ? cause.message : ""
  const [, words] = quotesSql.exec(text) ?? namesCatalog.exec(text) ?? []
  if (words === undefined) return undefined
  if (words.includes("ducklake_snapshot_pkey")) {
    return "another process committed to the lake at the same time"
  }
  // libpq's, of a connection that the server refuses.
  const why = words.trim().replace(/(^|failed: )FATAL: +/, "$1")
  return `the lake's catalog failed (${LOST.test(why) ? "the connection was lost" : why})`
}

/** Whether the PostgreSQL with a lake's catalog failed, or the connection to it was lost. */
export const isOfCatalog = (cause: unknown): boolean =>
  cause instanceof LoadError ? cause.reason === "Catalog" : catalogReason(cause) !== undefined

const AFTER_FATAL = /database has been invalidated[\s\S]*Original error: "([^"\n]*)/

const isOutOfMemory = (cause: unknown): boolean => causeMessage(cause).startsWith("Out of Memory")

// Below its message, DuckDB quotes the SQL or names settings of its own, which does not help the user; the cause has it.
const reasonOf = (cause: unknown): string => {
  const text = causeMessage(cause)
  const full = fullDiskReason(cause)
  if (full !== undefined) {
    const [, file] = /file "([^"]+)"/.exec(text) ?? []
    return `${full}${file === undefined ? "" : ` (${file})`}`
  }
  const [, original] = AFTER_FATAL.exec(text) ?? []
  if (original !== undefined) return `DuckDB can't go on after a failure of its own (${original})`
  const [message = text] = text.split(/\n\n(?:LINE |Stack Trace|Possible solutions)/)
  return message.trim().replace(/[.!]$/, "")
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error &&
  ("code" in cause
    ? ["EACCES", "EPERM", "EROFS", "EEXIST", "ENOTDIR", "ENOENT"].includes(String(cause.code))
    : REFUSED.test(cause.message))

// DuckDB's wording.
const REFUSED = /Permission denied|Read-only file system/

const MISSING_FROM_LAKE = /\/ducklake-[^"/]+": No such file/

const corrupt =
  /not a valid DuckDB database file|corrupt|checksum|Failed to (load|read|deserialize)|Serialization Error/i

/** For a file; a lake is rebuilt as docs/lake.md says. */
export const REBUILD =
  "Move vaulthouse.duckdb away, with vaulthouse.duckdb.wal and vaulthouse.duckdb.doublewrite if they exist, and run `vaulthouse replay`: it rebuilds every table that is filled from responses."

/** What to do about a database that does not open. */
export const openAdvice = (why: string): string =>
  isNotPermitted(why) ? "Run this as the user that runs `vaulthouse sync`." : REBUILD

const databaseAdvice = (cause: unknown, why: string): string => {
  if (fullDiskReason(cause) !== undefined) {
    return "Free space there, then run again: what was not committed is read again."
  }
  if (isRefused(cause)) {
    return "Nothing was changed. Check that this user can write to the folder, or choose another with --data-dir."
  }
  if (isOutOfMemory(cause)) {
    return "None of it was kept. Raise the setting memoryLimit (for `check`, queryMemoryLimit), then run again."
  }
  if (MISSING_FROM_LAKE.test(why)) {
    return "Run again. If it is still missing, restore it from a backup of the folder, or rebuild the lake from the archive (docs/lake.md)."
  }
  return corrupt.test(why)
    ? REBUILD
    : "What was not committed is read again by the next run; check disk space and memory, then run again."
}

/** What to do about a PostgreSQL that refuses more connections. */
export const TOO_FEW_CONNECTIONS =
  "End connections to it that nothing needs, or raise its limit (that of the server, max_connections; of the database; or of the user), then run again."

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: 53300, of which DuckDB's extensions report the text alone, in English by default. */
const NO_CONNECTION_LEFT = /too many (clients|connections)|remaining connection slots/

const catalogAdvice = (why: string): string =>
  NO_CONNECTION_LEFT.test(why)
    ? TOO_FEW_CONNECTIONS
    : "What was not committed is read again by the next run; check that PostgreSQL runs and can be reached."

const REPORT = "This is a defect of vaulthouse: please report it with this message"

/** A failure DuckDB reported while doing `what`. */
export const databaseError = (what: string, cause: unknown): LoadError => {
  if (cause instanceof LoadError) return cause
  if (cause instanceof BrokenLink) {
    const { message, advice } = cause
    return new LoadError({ reason: "Files", what, why: message, advice, cause })
  }
  if (cause instanceof BrokenInvariant) {
    const advice = `The transaction was rolled back: none of it was kept. ${REPORT}. \`vaulthouse check\` says whether stored rows are affected; \`vaulthouse replay\` rebuilds them.`
    return new LoadError({ reason: "Invariant", what, why: cause.message, advice, cause })
  }
  const refusal = objectStoreProblem(causeMessage(cause))
  if (refusal !== undefined) return new LoadError({ what, ...refusal, cause })
  const ofCatalog = catalogReason(cause)
  if (ofCatalog !== undefined) {
    const advice = catalogAdvice(ofCatalog)
    return new LoadError({ reason: "Catalog", what, why: ofCatalog, advice, cause })
  }
  const why = reasonOf(cause)
  const isOfFiles = fullDiskReason(cause) !== undefined || isRefused(cause)
  const reason = isOfFiles ? "Files" : "Database"
  return new LoadError({ reason, what, why, advice: databaseAdvice(cause, why), cause })
}

/** A failure while readers' files were written, which they don't see. */
export const filesError = (what: string, cause: unknown): LoadError => {
  if (cause instanceof LoadError) return cause
  if (cause instanceof BrokenInvariant) {
    const advice = `Readers keep the files they have. ${REPORT}.`
    return new LoadError({ reason: "Invariant", what, why: cause.message, advice, cause })
  }
  const refusal = objectStoreProblem(causeMessage(cause))
  if (refusal !== undefined) {
    const advice = `Readers keep the files they have. ${refusal.advice}`
    return new LoadError({ what, ...refusal, advice, cause })
  }
  const ofCatalog = catalogReason(cause)
  if (ofCatalog !== undefined) {
    const advice = NO_CONNECTION_LEFT.test(ofCatalog)
      ? `Readers keep the files they have. ${TOO_FEW_CONNECTIONS}`
      : "Readers keep the files they have; check that PostgreSQL runs, then run `vaulthouse publish`."
    return new LoadError({ reason: "Catalog", what, why: ofCatalog, advice, cause })
  }
  const toCheck = isNotPermitted(cause) ? "permissions" : "the folder and its disk"
  const next =
    fullDiskReason(cause) === undefined
      ? `Readers keep the files they have; check ${toCheck}, then run \`vaulthouse publish\`.`
      : "Free space there, then run `vaulthouse publish`: readers keep the files they have."
  return new LoadError({ reason: "Files", what, why: reasonOf(cause), advice: next, cause })
}
