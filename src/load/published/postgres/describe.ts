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
      advice: `Have an administrator run \`create role ${role} nologin\`.`,
      cause,
    })
  }
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
