// Brings the tables of the stored marts up to date: makes the months again whose source rows changed.
import type { DuckDBConnection } from "@duckdb/node-api"
import { fingerprint } from "../../../domain/values/fingerprint.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { rowsOf } from "../../../domain/table/rowsOf.ts"
import { Changes, type Session } from "../../commit/session.ts"
import { transaction } from "../../duckdb/transaction.ts"
import { sqlFile } from "../../sql/sqlFile.ts"
import { CATALOG, identifier, literal } from "../../sql/sql.ts"
import { type StoredMart, storedMarts } from "../../marts/storedMarts.ts"
import { storedMartsTable } from "../../tables/ops/stored_marts.ts"
import { undoing } from "../../duckdb/undoing.ts"
import { selectMonths } from "../../tables/months.ts"

const storedName = (mart: string): string => `${CATALOG}.mart_tables.${identifier(mart)}`

const isOneOf = (tables: ReadonlyArray<string>): string =>
  `table_schema || '.' || table_name IN (${tables.map(literal).join(", ")})`

/** Call it while nothing else writes. `rebuildAll` makes all months again, even if recorded as up to date. */
export const refreshStoredMarts = async (session: Session, rebuildAll: boolean): Promise<void> => {
  const { connection } = session
  const rows = await readRows(connection, sqlFile("publication", "mart_fingerprints"))
  const marts = new Map(rows.map(({ name, fingerprint: made }) => [String(name), String(made)]))
  const stored = await storedTables(connection)
  const stale: Array<Stale> = []
  for (const mart of storedMarts.filter(({ name }) => marts.has(name))) {
    const definition = await definitionOf(connection, mart, marts)
    const mustBeMade = rebuildAll || !stored.has(mart.name)
    const { isWhole, months } = await changed(connection, mart, definition, mustBeMade)
    if (isWhole || months.length > 0) stale.push({ mart, definition, isWhole, months })
  }
  if (stale.length === 0) return
  const staleMarts = stale.map(({ mart }) => mart)
  await withMonthViews(connection, staleMarts, async () => {
    for (const each of stale) await refresh(session, each)
  })
}

/** A warehouse that was moved out of a lake has what ops.stored_marts records, and none of these tables. */
const storedTables = async (connection: DuckDBConnection): Promise<ReadonlySet<string>> => {
  const rows = await readRows(
    connection,
    `SELECT table_name FROM duckdb_tables()
     WHERE database_name = ${literal(CATALOG)} AND schema_name = 'mart_tables'`,
  )
  return new Set(rows.map(({ table_name: name }) => String(name)))
}

interface Stale {
  readonly mart: StoredMart
  readonly definition: string
  /** Whether all of its rows are out of date. */
  readonly isWhole: boolean
  /** Months to make again. */
  readonly months: ReadonlyArray<string>
}

/** Fingerprint of its definition and those it reads through, and of the rows of the marts in `whole`. */
const definitionOf = async (
  connection: DuckDBConnection,
  { name: own, through, whole }: StoredMart,
  marts: ReadonlyMap<string, string>,
): Promise<string> => {
  const parts: Array<unknown> = [...through, own].map((name) => marts.get(name))
  for (const name of whole) {
    const [content] = await readRows(
      connection,
      `SELECT md5(string_agg(row_::VARCHAR, ',' ORDER BY row_::VARCHAR)) AS hash
       FROM ${CATALOG}.mart.${identifier(name)} row_`,
    )
    parts.push(content?.["hash"])
  }
  return fingerprint(...parts)
}

const refresh = (session: Session, { mart, definition, isWhole, months }: Stale) => {
  const { connection } = session
  const refreshed = { name: mart.name, definition, refreshed_at: session.tick() }
  return transaction(session, async () => {
    for (const statement of isWhole ? emptyTable(mart) : []) await connection.run(statement)
    if (isWhole) await copyComments(connection, mart)
    for (const month of months) await connection.run(remake(mart, month))
    await connection.run(record(mart, session.runId))
    await new Changes(session).write([rowsOf(storedMartsTable, [refreshed])])
  })
}

/** The months to make again: all of them if the mart was never made, was made by another definition, or must be made. */
const changed = async (
  connection: DuckDBConnection,
  { name, byMonth }: StoredMart,
  definition: string,
  mustBeMade: boolean,
) => {
  const made = await readRows(
    connection,
    `SELECT 1 FROM ${CATALOG}.ops.stored_marts WHERE name = $1 AND definition = $2`,
    [name, definition],
  )
  const isWhole = mustBeMade || made.length === 0
  const changes = await readRows(
    connection,
    isWhole
      ? monthsOfRows(byMonth)
      : `SELECT month FROM ${CATALOG}.ops.partition_changes GROUP BY month
         HAVING max(changed_at) FILTER (${isOneOf(Object.keys(byMonth))}) IS DISTINCT FROM
           max(changed_at) FILTER (${isOneOf([`mart_tables.${name}`])})
         ORDER BY month`,
  )
  return { isWhole, months: changes.map(({ month }) => String(month)) }
}

/** From the rows themselves, because changes made by hand are not in ops.partition_changes. */
const monthsOfRows = (byMonth: StoredMart["byMonth"]): string => {
  const months = Object.entries(byMonth).map(([table, time]) =>
    selectMonths({ time }, `${CATALOG}.${table}`),
  )
  return `${months.join(" UNION ")} ORDER BY month`
}

const isInMonth = (time: string): string =>
  `${time} >= getvariable('month_from') AND ${time} < getvariable('month_until')`

/**
 * Runs `work` with the marts made from the rows of one month (the variables `month_from` and `month_until`), attached
 * as `of_month`. A filter on a mart itself would read all rows, because its time is computed from theirs.
 */
const withMonthViews = async (
  connection: DuckDBConnection,
  marts: ReadonlyArray<StoredMart>,
  work: () => Promise<void>,
): Promise<void> => {
  const byMonth = new Map(marts.flatMap((mart) => Object.entries(mart.byMonth)))
  const whole = new Set(marts.flatMap((mart) => mart.whole))
  const views = new Set(marts.flatMap(({ through, name }) => [...through, name]))
  const defined = await readRows(
    connection,
    `SELECT view_name AS name, sql FROM duckdb_views()
     WHERE database_name = ${literal(CATALOG)} AND schema_name = 'mart'`,
  )
  // A lake omits the schema.
  const sqlOf = new Map(
    defined.map(({ name, sql }) => [
      String(name),
      String(sql).replace(/^CREATE VIEW (mart\.)?/, "CREATE VIEW mart."),
    ]),
  )
  const statements = [
    "CREATE SCHEMA core",
    "CREATE SCHEMA mart",
    "SET VARIABLE month_from = NULL::TIMESTAMP",
    "SET VARIABLE month_until = NULL::TIMESTAMP",
    ...[...byMonth].map(
      ([table, time]) =>
        `CREATE VIEW ${table} AS FROM ${CATALOG}.${table} WHERE ${isInMonth(time)}`,
    ),
    ...[...whole].map(
      (name) => `CREATE VIEW mart.${identifier(name)} AS FROM ${CATALOG}.mart.${identifier(name)}`,
    ),
    ...[...views].map((name) => (sqlOf.get(name) ?? "").replace(/;$/, "")),
  ]
  await connection.run("ATTACH ':memory:' AS of_month")
  const undo = async () => {
    await connection.run(`USE ${CATALOG}`)
    await connection.run("DETACH of_month")
  }
  await undoing(undo, async () => {
    await connection.run("USE of_month")
    await connection.run(statements.join(";\n"))
    await connection.run(`USE ${CATALOG}`)
    await work()
  })
}

const emptyTable = ({ name }: StoredMart): ReadonlyArray<string> => [
  `CREATE SCHEMA IF NOT EXISTS ${CATALOG}.mart_tables`,
  `CREATE OR REPLACE TABLE ${storedName(name)} AS FROM of_month.mart.${identifier(name)} LIMIT 0`,
  `COMMENT ON TABLE ${storedName(name)} IS ${literal(`The rows of mart.${name}: read that.`)}`,
]

/** The columns mean what those of the view do. */
const copyComments = async (connection: DuckDBConnection, { name }: StoredMart) => {
  const columns = await readRows(
    connection,
    `SELECT column_name, comment FROM duckdb_columns()
     WHERE database_name = ${literal(CATALOG)} AND schema_name = 'mart'
       AND table_name = ${literal(name)} AND comment IS NOT NULL`,
  )
  for (const { column_name: column, comment } of columns) {
    await connection.run(
      `COMMENT ON COLUMN ${storedName(name)}.${identifier(String(column))} IS ${literal(String(comment))}`,
    )
  }
}

/** Records when each month's source rows changed; if that changes, the month is made again. */
const record = ({ byMonth, name }: StoredMart, runId: string): string => `
  DELETE FROM ${CATALOG}.ops.partition_changes WHERE ${isOneOf([`mart_tables.${name}`])};
  INSERT INTO ${CATALOG}.ops.partition_changes (table_schema, table_name, month, run_id, changed_at)
  SELECT 'mart_tables', ${literal(name)}, month, ${literal(runId)}, max(changed_at)
  FROM ${CATALOG}.ops.partition_changes WHERE ${isOneOf(Object.keys(byMonth))} GROUP BY month`

/** Makes a month again, with the rows of each vault stored together. */
const remake = ({ name, time }: StoredMart, month: string): string => `
  SET VARIABLE month_from = TIMESTAMP '${month}-01';
  SET VARIABLE month_until = getvariable('month_from') + INTERVAL 1 MONTH;
  DELETE FROM ${storedName(name)}
  WHERE ${isInMonth(time)};
  INSERT INTO ${storedName(name)}
  FROM of_month.mart.${identifier(name)} ORDER BY vault_address, ${time}`
