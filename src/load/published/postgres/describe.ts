// Comments on the views that readers use, and the privileges of the reading role. Both survive a switch of
// publications.
import type { Client } from "pg"
import { identifier, literal } from "../../sql/sql.ts"
import { type Names, qualifiedName } from "./names.ts"
import { isState } from "../../postgres/explainPostgres.ts"
import { PostgresError } from "../../errors.ts"
import type { Relation } from "./relations.ts"
import { inTransaction } from "./store.ts"

/** Makes the role if there is none. */
export const makeRole = async (client: Client, target: string, role: string): Promise<void> => {
  const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role])
  if (rowCount !== 0) return
  try {
    await client.query(`CREATE ROLE ${identifier(role)} NOLOGIN`)
  } catch (cause) {
    if (!isState(cause, "42501")) throw cause
    throw new PostgresError({
      target,
      why: `there is no role ${role}, and the user may not create one`,
      advice: `Have an administrator run \`create role ${identifier(role)} nologin\`.`,
      cause,
    })
  }
}

/**
 * Whether the role may read no view at all, as after a restore without privileges, or once it was dropped and made again. What
 * was revoked from it on some of them stays revoked.
 */
export const readsNothing = async (
  client: Client,
  names: Names,
  role: string | undefined,
): Promise<boolean> => {
  if (role === undefined) return false
  const { rows } = await client.query<{ may_read: boolean | null }>(
    `SELECT bool_or(has_schema_privilege($1, n.oid, 'USAGE') AND has_table_privilege($1, c.oid, 'SELECT')) AS may_read
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY ($2) AND c.relkind = 'v'`,
    [role, names.allInUse],
  )
  return rows[0]?.may_read !== true
}

export const describeViews = (
  client: Client,
  names: Names,
  relations: ReadonlyArray<Relation>,
  role: string | undefined,
  described: string,
): Promise<void> =>
  inTransaction(client, async () => {
    const views = relations.map((relation) => {
      const [schema = "", name = ""] = relation.name.split(".")
      return { relation, view: qualifiedName(names.inUse(schema), name) }
    })
    const comments = views.flatMap(({ relation, view }) => [
      `COMMENT ON VIEW ${view} IS ${literal(relation.comment)}`,
      ...relation.columns.map(
        ({ name, comment }) =>
          `COMMENT ON COLUMN ${view}.${identifier(name)} IS ${literal(comment)}`,
      ),
    ])
    const grants =
      role === undefined
        ? []
        : [
            `GRANT USAGE ON SCHEMA ${names.allInUse.map(identifier).join(", ")} TO ${identifier(role)}`,
            `GRANT SELECT ON ${views.map(({ view }) => view).join(", ")} TO ${identifier(role)}`,
          ]
    await client.query([...comments, ...grants].join(";\n"))
    await client.query(
      "UPDATE publications SET described = $1 WHERE number = (SELECT max(number) FROM publications)",
      [described],
    )
  })
