// Connects to PostgreSQL as a connection string says. node-postgres verifies certificates for every sslmode but
// `disable` and never tries again without TLS, so the modes are implemented here as libpq documents them.
import { readFile } from "node:fs/promises"
import { userInfo } from "node:os"
import type { ConnectionOptions } from "node:tls"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import { readReason } from "../../domain/values/fileReason.ts"
import type { PostgresTarget, SslMode } from "../../domain/stores/postgresUrl.ts"
import { passwordFromFile } from "./passwordFile.ts"
import { PostgresError } from "../errors.ts"
import { sqlFile } from "../sql/sqlFile.ts"

/** `false` means without TLS. */
type Attempt = ConnectionOptions | false

const file = async (target: PostgresTarget, name: string, path: string): Promise<Buffer> => {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new PostgresError({
      target: target.shown,
      why: `${name} ${path} can't be read: ${readReason(cause)}`,
      advice: "Name a file in PEM format that this user may read.",
      cause,
    })
  }
}

const isFile = (path: string | undefined): path is string => path !== undefined && path !== "system"

const attemptsOf = async (target: PostgresTarget): Promise<ReadonlyArray<Attempt>> => {
  const { certificate, key, rootCertificate, sslMode } = target
  if (sslMode === "disable") return [false]
  const own =
    certificate === undefined || key === undefined
      ? {}
      : {
          cert: await file(target, "sslcert", certificate),
          key: await file(target, "sslkey", key),
        }
  const authorities = isFile(rootCertificate)
    ? { ca: await file(target, "sslrootcert", rootCertificate) }
    : {}
  const ofAuthority: Attempt = { ...own, ...authorities, checkServerIdentity: () => undefined }
  // As in libpq, an authority that is named is used whatever the mode.
  const encrypted: Attempt =
    rootCertificate === undefined ? { ...own, rejectUnauthorized: false } : ofAuthority
  const modes: Readonly<Record<Exclude<SslMode, "disable">, ReadonlyArray<Attempt>>> = {
    allow: [false, encrypted],
    prefer: [encrypted, false],
    require: [encrypted],
    "verify-ca": [ofAuthority],
    "verify-full": [{ ...own, ...authorities }],
  }
  return modes[sslMode]
}

/**
 * Whether the same server may accept another kind of connection: not if it can't be reached or refuses the password.
 */
const isWorthAnother = (cause: unknown): boolean => {
  if (cause instanceof PostgresError) return false
  const { code = "", syscall } = cause as { readonly code?: string; readonly syscall?: string }
  return syscall === undefined && (code === "28000" || !/^[0-9A-Z]{5}$/.test(code))
}

/** As libpq: the user that runs this process, where the connection string and PGUSER name none. */
export const userOf = ({ user, shown }: PostgresTarget): string => {
  try {
    return user ?? userInfo().username
  } catch (cause) {
    throw new PostgresError({
      target: shown,
      why: `the connection string names no user, and this process runs as ${process.geteuid?.()}, which has no name here`,
      advice: "Put the user into the connection string, or set PGUSER.",
      cause,
    })
  }
}

/** `undefined` if none is set. */
const knownPassword = async (target: PostgresTarget): Promise<string | undefined> =>
  target.password === undefined
    ? passwordFromFile(target, userOf(target))
    : Redacted.value(target.password)

const passwordOf = async (target: PostgresTarget, user: string): Promise<string> => {
  const password = await knownPassword(target)
  if (password !== undefined) return password
  throw new PostgresError({
    target: target.shown,
    why: `the server requires a password for ${user}, and none is set`,
    advice: "Set PGPASSWORD, add a line to the password file, or put it in the connection string.",
  })
}

const poolerStands = ({ shown }: PostgresTarget, cause?: unknown): PostgresError =>
  new PostgresError({
    target: shown,
    why: "this is the address of a connection pooler, which gives this connection no session of its own",
    advice: "Name the database's own address; its readers may use the pooler.",
    cause,
  })

/** PgBouncer's, for which there is no SQLSTATE of its own. */
const isOfPooler = (cause: unknown): boolean =>
  cause instanceof Error && cause.message === "unsupported startup parameter: options"

const open = async (target: PostgresTarget, ssl: Attempt): Promise<Client> => {
  const user = userOf(target)
  const client = new Client({
    host: target.host,
    port: target.port,
    database: target.database,
    user,
    // Called only if the server requires one.
    password: () => passwordOf(target, user),
    ssl,
    application_name: target.applicationName,
    connectionTimeoutMillis: target.connectTimeoutSeconds * 1000,
    // Notices a server that is gone sooner than the system's default of two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 20_000,
    // What the statements and messages below rely on, whatever the server's or the user's settings.
    options:
      "-c timezone=UTC -c datestyle=ISO -c standard_conforming_strings=on -c statement_timeout=0 -c vaulthouse.session=own",
  })
  // Without a listener a lost connection would end the process; the running statement fails anyway.
  client.on("error", () => undefined)
  try {
    await client.connect()
    // A pooler that ignores `options` also gives the session's locks and search path to whoever comes next.
    const { rows } = await client.query<{ session: string | null }>(
      "SELECT current_setting('vaulthouse.session', true) AS session",
    )
    if (rows[0]?.session !== "own") throw poolerStands(target)
    return client
  } catch (cause) {
    await client.end().catch(() => undefined)
    throw isOfPooler(cause) ? poolerStands(target, cause) : cause
  }
}

// The message of node-postgres, whose error has no code.
const NO_TLS = "The server does not support SSL connections"

interface Connected {
  readonly client: Client
  readonly ssl: Attempt
}

const connected = async (target: PostgresTarget): Promise<Connected> => {
  const [first = false, second] = await attemptsOf(target)
  try {
    return { client: await open(target, first), ssl: first }
  } catch (cause) {
    if (second === undefined && cause instanceof Error && cause.message === NO_TLS) {
      throw new PostgresError({
        target: target.shown,
        why: `sslmode=${target.sslMode} requires TLS, which the server does not offer`,
        advice:
          "Turn on TLS there, or connect without it if the network is trusted: with `sslmode=prefer` or `sslmode=disable`.",
        cause,
      })
    }
    if (second === undefined || !isWorthAnother(cause)) throw cause
    return { client: await open(target, second), ssl: second }
  }
}

/** Rejects with the error of the last attempt. */
export const connect = async (target: PostgresTarget): Promise<Client> =>
  (await connected(target)).client

/** Switches off all timeouts of the server or the user for the rest of the session; the names of their settings. */
export const withoutTimeouts = async (client: Client): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ name: string }>(sqlFile("postgres", "no_timeouts"))
  return rows.map(({ name }) => name)
}

/**
 * The options with which a connection was accepted, for a client that connects by itself. Rejects as `connect` does.
 */
export const connectionOptions = async (target: PostgresTarget) => {
  const { client, ssl } = await connected(target)
  const timeouts = await withoutTimeouts(client).finally(() => client.end())
  const password = await knownPassword(target)
  return {
    host: target.host,
    port: target.port,
    database: target.database,
    username: userOf(target),
    password: password === undefined ? undefined : Redacted.make(password, { label: "password" }),
    ssl,
    connectTimeout: target.connectTimeoutSeconds * 1000,
    applicationName: target.applicationName,
    // As startup parameters, since it opens connections when it needs them. A pooler has refused the one above.
    startupParameters: Object.fromEntries(timeouts.map((name) => [name, "0"])),
  }
}
