// The password file of libpq (https://www.postgresql.org/docs/current/libpq-pgpass.html): lines of
// host:port:database:user:password, `*` for any, the first that matches.
import { readFile, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { PostgresTarget } from "../../domain/stores/postgresUrl.ts"
import { PostgresError } from "../errors.ts"

const fieldsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:^|:)((?:\\.|[^\\:])*)/g)].map(([, field = ""]) =>
    field.replaceAll(/\\(.)/g, "$1"),
  )

/** `undefined` if there is no file, or no line for the target. */
export const passwordFromFile = async (
  { host, port, database, passwordFile, shown }: PostgresTarget,
  user: string,
): Promise<string | undefined> => {
  const file = passwordFile ?? join(homedir(), ".pgpass")
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return undefined
  if ((found.mode & 0o077) !== 0) {
    throw new PostgresError({
      target: shown,
      why: `the password file ${file} can be read by others`,
      advice: `Run \`chmod 600 ${file}\`.`,
    })
  }
  const wanted = [host, String(port), database, user]
  const text = await readFile(file, "utf8")
  const lines = text.split(/\r?\n/).filter((line) => !line.startsWith("#"))
  return lines
    .map(fieldsOf)
    .find(
      (fields) =>
        fields.length === 5 && wanted.every((value, at) => ["*", value].includes(fields[at] ?? "")),
    )
    ?.at(4)
}
