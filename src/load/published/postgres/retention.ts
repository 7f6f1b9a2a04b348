// Removes earlier publications that are no longer kept, and parts that no publication uses any more.
import type { Client } from "pg"
import type { PublishedKeep } from "../publishedFiles.ts"
import { identifier } from "../../sql/sql.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { type Names, partTable, qualifiedName } from "./names.ts"
import type { Relation } from "./relations.ts"
import { isState } from "../../postgres/explainPostgres.ts"
import { inTransaction } from "./store.ts"

const LOCK_WAIT = "1s"

/** A publication that a reader uses, or another user's view depends on, stays until the next publication. */
export const removeOld = async (
  client: Client,
  names: Names,
  keep: PublishedKeep,
): Promise<void> => {
  const old = await client.query<{ number: string }>(sqlFile("postgres", "old_publications"), [
    keep.copies,
    keep.days,
  ])
  for (const { number } of old.rows) {
    await unlessInUse(client, () => removePublication(client, names, Number(number)))
  }
  await removeUnusedParts(client, names, [])
}

/**
 * Also before a publication copies a relation, of which it needs the parts `wanted`: each that fails leaves those that it alone
 * copied, and where the disk is full, no later one gets to its end.
 */
export const removeUnusedParts = async (
  client: Client,
  names: Names,
  wanted: ReadonlyArray<string>,
  relation?: Relation,
): Promise<void> => {
  const unused = await client.query<{ id: string }>(sqlFile("postgres", "unused_parts"), [
    wanted,
    relation?.name ?? null,
  ])
  for (const { id } of unused.rows) {
    await unlessInUse(client, async () => {
      await client.query(`DROP TABLE ${qualifiedName(names.own, partTable(id))}`)
      await client.query("DELETE FROM parts WHERE id = $1", [id])
    })
  }
}

const removePublication = async (client: Client, names: Names, number: number): Promise<void> => {
  const schema = names.run(number)
  const { rows } = await client.query<{ name: string }>(
    "SELECT viewname AS name FROM pg_views WHERE schemaname = $1",
    [schema],
  )
  if (rows.length > 0) {
    const views = rows.map(({ name }) => qualifiedName(schema, name))
    await client.query(`DROP VIEW ${views.join(", ")}`)
  }
  await client.query(`DROP SCHEMA IF EXISTS ${identifier(schema)}`)
  await client.query("DELETE FROM publications WHERE number = $1", [number])
}

const unlessInUse = async (client: Client, work: () => Promise<void>): Promise<void> => {
  try {
    await inTransaction(client, async () => {
      await client.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`)
      await work()
    })
  } catch (cause) {
    if (!isState(cause, "55P03", "2BP01", "40P01")) throw cause
  }
}
