// Addresses that contain a secret: written out, or as `${NAME}`, which takes the whole address from an environment
// variable. Messages show only the variable, or the part of the address that its parser allows.
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { parsePostgresUrl, type PostgresTarget } from "../../domain/stores/postgresUrl.ts"
import { expected } from "../settings/kinds.ts"

/** Whether a text that should be an address may have a secret as its user, its password or in its query. */
export const isWithSecret = (text: string): boolean => /[@?]/.test(text)

type Secret = Redacted.Redacted<string>
type Parse<A> = (text: string) => Result.Result<A, string>

const variable = /^\$\{(\w+)\}$/

const readSecret = <A>(
  text: string,
  parse: Parse<A>,
  shown: (parsed: A) => string,
): Result.Result<Secret, string> =>
  variable.test(text)
    ? Result.succeed(Redacted.make(text, { label: text }))
    : Result.map(parse(text), (parsed) => Redacted.make(text, { label: shown(parsed) }))

const secretOf = <A>(secret: Secret, parse: Parse<A>): Result.Result<A, string> => {
  const text = Redacted.value(secret)
  const [, name] = variable.exec(text) ?? []
  if (name === undefined) return parse(text)
  const value = process.env[name]?.trim() ?? ""
  return value === ""
    ? Result.fail(`the environment variable ${name} is not set`)
    : Result.mapError(parse(value), (problem) => `the environment variable ${name} ${problem}`)
}

const parseUrl = (text: string): Result.Result<URL, string> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return Result.fail(`is not ${expected({ type: "secretUrl" })}`)
  }
  return url.username === "" && url.password === ""
    ? Result.succeed(url)
    : Result.fail("contains a user name or password, which would not be sent")
}

/** The label is what may be shown. A variable is looked up when the address is used: most commands don't need it. */
export const readSecretUrl = (text: string): Result.Result<Secret, string> =>
  readSecret(text, parseUrl, ({ origin }) => origin)

/** The address, or why its variable holds none. */
export const addressOf = (secret: Secret): Result.Result<URL, string> => secretOf(secret, parseUrl)

/** Like `readSecretUrl`. */
export const readPostgresUrl = (text: string): Result.Result<Secret, string> =>
  readSecret(text, parsePostgresUrl, ({ shown }) => shown)

const LAKE = "ducklake:"
const LAKE_IN_POSTGRES = /^ducklake:postgres(ql)?:/

const parseLake = (text: string): Result.Result<PostgresTarget, string> =>
  LAKE_IN_POSTGRES.test(text)
    ? Result.mapError(
        parsePostgresUrl(text.slice(LAKE.length)),
        (problem) => `has a connection string after \`${LAKE}\` that ${problem}`,
      )
    : Result.fail(`is not ${expected({ type: "warehouse" })}`)

/** Like `readSecretUrl`, for a lake; `file` is no secret. */
export const readWarehouse = (text: string): Result.Result<"file" | Secret, string> =>
  text === "file"
    ? Result.succeed(text)
    : readSecret(text, parseLake, ({ shown }) => `${LAKE}${shown}`)

/** Like `postgresTargetOf`, for the database that holds a lake's catalog. */
export const lakeCatalogOf = (secret: Secret): Result.Result<PostgresTarget, string> =>
  Result.map(secretOf(secret, parseLake), withEnvironment)

/**
 * The target of a connection string, or why its variable holds none. What the string leaves out is read from the
 * variables of psql.
 */
export const postgresTargetOf = (secret: Secret): Result.Result<PostgresTarget, string> =>
  Result.map(secretOf(secret, parsePostgresUrl), withEnvironment)

/** As in libpq, an empty variable counts as not set. */
const withEnvironment = (target: PostgresTarget): PostgresTarget => {
  const { PGUSER: user, PGPASSWORD: password, PGPASSFILE: passwordFile } = process.env
  return {
    ...target,
    user: target.user ?? (user === "" ? undefined : user),
    password:
      target.password ??
      (password === undefined || password === ""
        ? undefined
        : Redacted.make(password, { label: "PGPASSWORD" })),
    passwordFile: passwordFile === "" ? undefined : passwordFile,
  }
}
