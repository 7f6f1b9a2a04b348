// Finds what a publication must not or may not touch in a database, before it changes anything there.
import type { Client } from "pg"
import { sqlFile } from "../../sql/sqlFile.ts"
import { type Names, qualifiedName } from "./names.ts"
import { PostgresError } from "../../errors.ts"

interface Schema {
  readonly name: string
  readonly owner: string
  readonly user: string
}

const OTHER_NAMES = "set publish.postgresPrefix: all names of schemas then begin with it."

/** Throws a `PostgresError` that names what is in the way. */
export const refuseForeignSchemas = async (
  client: Client,
  target: string,
  names: Names,
): Promise<void> => {
  const { rows: closed } = await client.query<Schema>(sqlFile("postgres", "no_rights"), [
    [names.own, ...names.allInUse],
  ])
  const [schema] = closed
  if (schema !== undefined) {
    const { name, owner, user } = schema
    throw new PostgresError({
      target,
      why: `schema ${name} belongs to ${owner}, and ${user} may not create tables and views in it`,
      advice: `Publish as ${owner}, or ${OTHER_NAMES}`,
    })
  }
  if (await hasPublications(client, names)) return
  // Relations of other applications must be neither taken for ours nor mixed with them.
  const { rows: relations } = await client.query<{ name: string }>(
    sqlFile("postgres", "not_ours"),
    [names.allInUse],
  )
  const [found] = relations
  if (found === undefined) return
  throw new PostgresError({
    target,
    why: `the database has ${found.name} already, which vaulthouse did not make`,
    advice: `Move it away, or ${OTHER_NAMES}`,
  })
}

const hasPublications = async (client: Client, names: Names): Promise<boolean> => {
  const table = qualifiedName(names.own, "publications")
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass($1) IS NOT NULL AS exists",
    [table],
  )
  if (rows[0]?.exists !== true) return false
  const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`)
  return rowCount !== 0
}
