// Parses connection strings of PostgreSQL like libpq (https://www.postgresql.org/docs/current/libpq-connect.html).
// node-postgres interprets most values of `sslmode` differently, so it gets the parsed values instead.
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

export const sslModes = [
  "disable",
  "allow",
  "prefer",
  "require",
  "verify-ca",
  "verify-full",
] as const

export type SslMode = (typeof sslModes)[number]

export interface PostgresTarget {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  /** If `undefined`, the user of this process. */
  readonly user: string | undefined
  /** If `undefined`, it is read from the password file. */
  readonly password: Redacted.Redacted<string> | undefined
  /** If `undefined`, `~/.pgpass`. */
  readonly passwordFile: string | undefined
  readonly sslMode: SslMode
  /** Paths of PEM files. */
  readonly rootCertificate: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
  readonly connectTimeoutSeconds: number
  readonly applicationName: string
  /** The URL for messages, without user, password and parameters. */
  readonly shown: string
}

const parameters = [
  "host",
  "port",
  "dbname",
  "user",
  "password",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
  "application_name",
]

const CONNECT_TIMEOUT_SECONDS = 10

const wrong = (why: string) => Result.fail(why)

/** Fails with what is wrong, as a predicate. No message repeats text that may be the password. */
export const parsePostgresUrl = (text: string): Result.Result<PostgresTarget, string> => {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    return wrong("is not a connection string such as `postgres://user@db.example.com/analytics`")
  }
  const url = URL.parse(text)
  // With one of these characters further on, the part before it may be part of a password.
  const isAmbiguous =
    url !== null && (/[@/]/.test(url.pathname.slice(1)) || url.search.includes("@"))
  if (url === null || url.hash !== "" || isAmbiguous) {
    return wrong(
      "can't be read as a connection string: special characters in it must be percent-encoded (`@` as `%40`), and only one host may be named",
    )
  }
  // As in libpq, a plus sign is not a space.
  const given = new URLSearchParams(url.search.replaceAll("+", "%2B"))
  const unknown = [...given.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined) {
    // If a password contains an `&` that is not percent-encoded, the name may be part of the password.
    const shown = given.has("password") ? "…" : unknown
    return wrong(
      `has the parameter \`${shown}\`, which vaulthouse does not know; known are ${parameters.join(", ")}`,
    )
  }
  const parts = [url.username, url.password, url.hostname].map(decoded)
  const [user, password, hostname] = parts
  if (parts.some((part) => part === undefined)) {
    return wrong("has special characters in its user or password that are not percent-encoded")
  }
  const host = (given.get("host") ?? hostname ?? "").replace(/^\[(.*)\]$/, "$1")
  if (host === "") return wrong("names no host")
  if (host.includes(",")) return wrong("names several hosts; name only the primary")
  const database = given.get("dbname") ?? decoded(url.pathname.slice(1)) ?? ""
  if (database === "") return wrong("names no database: `postgres://host/database`")
  const port = Number(given.get("port") ?? (url.port === "" ? "5432" : url.port))
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return wrong("has a port that is not a number from 1 to 65535")
  const mode = given.get("sslmode") ?? "prefer"
  const sslMode = sslModes.find((each) => each === mode)
  if (sslMode === undefined) {
    return wrong(`has the sslmode \`${mode}\`, which is not one of ${sslModes.join(", ")}`)
  }
  const certificate = given.get("sslcert") ?? undefined
  const key = given.get("sslkey") ?? undefined
  if ((certificate === undefined) !== (key === undefined)) {
    return wrong("has one of sslcert and sslkey; both are needed")
  }
  const timeout = Number(given.get("connect_timeout") ?? CONNECT_TIMEOUT_SECONDS)
  if (!(timeout > 0)) return wrong("has a connect_timeout that is not a number of seconds")
  const secret = given.get("password") ?? password ?? ""
  return Result.succeed({
    host,
    port,
    database,
    user: given.get("user") ?? (user === "" ? undefined : user),
    passwordFile: undefined,
    password: secret === "" ? undefined : Redacted.make(secret, { label: "password" }),
    sslMode,
    rootCertificate: given.get("sslrootcert") ?? undefined,
    certificate,
    key,
    connectTimeoutSeconds: timeout,
    applicationName: given.get("application_name") ?? "vaulthouse",
    shown: `postgres://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`,
  })
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
