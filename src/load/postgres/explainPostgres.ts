// Why a publication to PostgreSQL failed, and what to do about it. Messages name the target without user and password.
import { causeMessage } from "../../domain/values/causeMessage.ts"
import { PostgresError, TOO_FEW_CONNECTIONS } from "../errors.ts"

const LATER = "Readers keep what they have; the next run publishes what is missing."

const network: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host could not be looked up",
  ETIMEDOUT: "it does not respond",
  EHOSTUNREACH: "the host can't be reached",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
}

/** What the clients report of a connection that was lost earlier. */
const LOST =
  /^(Connection (closed|terminated)|Client (was closed|has encountered a connection error))/

export const READ_ONLY_ADVICE =
  "Name a server and database that take writes: this one is a standby, or default_transaction_read_only is on."

/** By SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const advices: Readonly<Record<string, string>> = {
  // A statement that writes, in a transaction that may not.
  "25006": READ_ONLY_ADVICE,
  "28P01": "Check the password in the connection string, PGPASSWORD or the password file.",
  "28000": "Check user and sslmode against the server's pg_hba.conf.",
  "3D000": "Create the database first.",
  "42501":
    "Grant the user this privilege: docs/postgresql.md and docs/lake.md have those it needs.",
  "53100": "Free space on the server's disk, then run again.",
  "53300": TOO_FEW_CONNECTIONS,
}

/** What the network or the server reports, and what to do if that is specific to it. */
export const explainPostgres = (
  cause: unknown,
): Pick<PostgresError, "why"> & { advice?: string } => {
  if (cause instanceof PostgresError) return cause
  const { code = "" } = cause as { readonly code?: string }
  const text = causeMessage(cause)
  const advice = advices[code]
  return {
    why:
      network[code] ??
      (LOST.test(text) ? "the connection was lost" : text.trim().replace(/[.!]$/, "")),
    ...(advice === undefined ? {} : { advice }),
  }
}

export const postgresError = (target: string, cause: unknown): PostgresError =>
  cause instanceof PostgresError
    ? cause
    : new PostgresError({ target, advice: LATER, ...explainPostgres(cause), cause })

/** Whether the server reported one of these SQLSTATE codes. */
export const isState = (cause: unknown, ...codes: ReadonlyArray<string>): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))
