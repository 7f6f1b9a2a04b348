// vaulthouse's own schema in the database: parts and publications. A lock admits one publisher at a time.
import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import type { Client } from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { identifier, identifiers, literal } from "../../sql/sql.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { refuseForeignSchemas } from "./inTheWay.ts"
import { type Names, partTable, qualifiedName } from "./names.ts"
import { conditionOf, type Period } from "./periods.ts"
import { withoutTimeouts } from "../../postgres/connect.ts"
import { isState } from "../../postgres/explainPostgres.ts"
import { PostgresError } from "../../errors.ts"
import type { Relation } from "./relations.ts"

const LOCK_WAIT = "10s"

/** Runs `work` in a transaction; its own error is the one that is reported. */
export const inTransaction = async <A>(client: Client, work: () => Promise<A>): Promise<A> => {
  await client.query("BEGIN")
  try {
    const result = await work()
    await client.query("COMMIT")
    return result
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => undefined)
    throw cause
  }
}

/** Takes the lock, which the end of the connection releases, and prepares the schema. */
export const openStore = async (client: Client, target: string, names: Names): Promise<void> => {
  // Between two parts the session is idle, and a part is copied and indexed in one transaction.
  await withoutTimeouts(client)
  await client.query(`SET lock_timeout = '${LOCK_WAIT}'`)
  try {
    await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [names.own])
  } catch (cause) {
    if (!isState(cause, "55P03")) throw cause
    throw new PostgresError({
      target,
      why: "another process is publishing there",
      advice: "The next run publishes what is missing by then.",
      cause,
    })
  }
  await refuseForeignSchemas(client, target, names)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${identifier(names.own)}`)
  await client.query(`SET search_path TO ${identifier(names.own)}`)
  await client.query(sqlFile("postgres", "prepare"))
  await removeLeftSchemas(client, names)
}

const removeLeftSchemas = async (client: Client, { runPrefix }: Names): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(sqlFile("postgres", "left_schemas"), [
    runPrefix,
  ])
  for (const { name } of rows) await client.query(`DROP SCHEMA ${identifier(name)} CASCADE`)
}

/** Ids of all parts, by `keyOf`. */
export const storedParts = async (client: Client): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ key: string; id: string }>(
    "SELECT relation || '/' || period || '/' || fingerprint AS key, id FROM parts",
  )
  return new Map(rows.map(({ key, id }) => [key, id]))
}

export const keyOf = ({ name }: Relation, period: Period): string =>
  `${name}/${period.name}/${period.fingerprint}`

/** Copies the rows in the file into a new part with the indexes it can have, in one transaction. Returns its id. */
export const addPart = (
  client: Client,
  names: Names,
  relation: Relation,
  period: Period,
  file: string,
): Promise<string> =>
  inTransaction(client, async () => {
    const { rows } = await client.query<{ id: string }>(
      "INSERT INTO parts (relation, period, fingerprint, rows) VALUES ($1, $2, $3, $4) RETURNING id",
      [relation.name, period.name, period.fingerprint, period.rows],
    )
    const [{ id } = { id: "" }] = rows
    const table = qualifiedName(names.own, partTable(id))
    const columns = relation.columns.map(({ name, type }) => `${identifier(name)} ${type}`)
    const within = conditionOf(relation, period)
    // The planner skips parts whose check contradicts a query.
    const check = within === "true" ? [] : [`CHECK (${within})`]
    await client.query(
      `CREATE TABLE ${table} (${[...columns, ...check].join(", ")});
       COMMENT ON TABLE ${table} IS ${literal(`${relation.name} ${period.name}`)}`,
    )
    // Frozen, since its rows never change: no vacuum has to look at them again.
    const copy = copyFrom(`COPY ${table} FROM STDIN (FORMAT csv, NULL '\\N', FREEZE)`)
    await pipeline(createReadStream(file, { highWaterMark: 1 << 18 }), client.query(copy))
    if (copy.rowCount !== period.rows) {
      throw new Error(`${relation.name} has ${copy.rowCount} rows there, not ${period.rows}`)
    }
    for (const index of relation.indexes) await addIndex(client, table, index)
    await client.query(`ANALYZE ${table}`)
    return id
  })

/** Adds the index, unless it has no room for one of the texts: readers of this part then wait longer for less than all. */
const addIndex = async (
  client: Client,
  table: string,
  columns: ReadonlyArray<string>,
): Promise<void> => {
  try {
    await client.query(
      `SAVEPOINT without_index; CREATE INDEX ON ${table} (${identifiers(columns)})`,
    )
  } catch (cause) {
    if (!isState(cause, "54000")) throw cause
    await client.query("ROLLBACK TO without_index")
  }
}
