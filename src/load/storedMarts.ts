// Marts that are too slow as views: published copies hold their rows in tables of schema `mart_tables`, which the warehouse
// keeps up to date by the months that changed. In the warehouse itself the marts stay views.
import type { DuckDBConnection } from "@duckdb/node-api"
import { decodeRow, optional, text } from "./decodeRow.ts"
import { readRows } from "./readRows.ts"
import { rowsOf } from "./rowsOf.ts"
import { Changes, type Session, transaction } from "./session.ts"
import { CATALOG, identifier, literal } from "./sql.ts"
import { storedMartsTable } from "./tables/stored_marts.ts"

export interface StoredMart {
  /** In schema mart. */
  readonly name: string
  /** The column that says which month a row is of. */
  readonly time: string
  /** Tables of which a row of the mart is made from rows of its own month alone. */
  readonly byMonth: ReadonlyArray<string>
  /** Tables of which any change may change any row. */
  readonly whole: ReadonlyArray<string>
}

/** Made from nothing else: neither from the time nor from other tables, which a test checks. */
export const storedMarts: ReadonlyArray<StoredMart> = [
  { name: "ratio_days", time: "day", byMonth: ["core.ratio_history"], whole: [] },
  { name: "pnl_days", time: "day", byMonth: ["core.pnl_history"], whole: [] },
  { name: "position_days", time: "day", byMonth: ["core.position_snapshots"], whole: [] },
  {
    name: "vault_hourly",
    time: "hour_at",
    byMonth: ["core.ratio_history", "core.pnl_history", "core.position_snapshots"],
    whole: ["core.vaults"],
  },
]

const storedName = (mart: string): string => `${CATALOG}.mart_tables.${identifier(mart)}`

const list = (values: ReadonlyArray<string>): string => values.map(literal).join(", ")

/** Brings the tables up to date with the warehouse; call it while nothing else writes. */
export const refreshStoredMarts = async (session: Session): Promise<void> => {
  const { connection } = session
  const [defined] = await readRows(
    connection,
    `SELECT list(name) AS names, md5(string_agg(fingerprint, ',' ORDER BY name)) AS definition
     FROM ${CATALOG}.ops.view_fingerprints WHERE starts_with(name, 'mart.')`,
  )
  const names = new Set(defined?.["names"] as ReadonlyArray<string> | null)
  for (const mart of storedMarts.filter(({ name }) => names.has(`mart.${name}`))) {
    await refresh(session, mart, String(defined?.["definition"]))
  }
}

const refresh = async (session: Session, mart: StoredMart, definition: string): Promise<void> => {
  const months = await changedMonths(session.connection, mart, definition)
  if (months?.length === 0) return
  const statements = months === undefined ? makeAll(mart) : remake(mart, months)
  const refreshed = { name: mart.name, definition, refreshed_at: session.tick() }
  await transaction(session, async () => {
    for (const statement of statements) await session.connection.run(statement)
    await new Changes(session).write([rowsOf(storedMartsTable, [refreshed])])
  })
}

/** `undefined`: all of them, or it was never made, or made from another definition. */
const changedMonths = async (
  connection: DuckDBConnection,
  { name, byMonth, whole }: StoredMart,
  definition: string,
): Promise<ReadonlyArray<string> | undefined> => {
  const [made] = await readRows(
    connection,
    `SELECT epoch_us(refreshed_at)::DOUBLE AS at FROM ${CATALOG}.ops.stored_marts
     WHERE name = $1 AND definition = $2`,
    [name, definition],
  )
  if (made === undefined) return undefined
  const changes = await readRows(
    connection,
    `SELECT DISTINCT table_schema || '.' || table_name AS source, month
     FROM ${CATALOG}.ops.partition_changes
     WHERE epoch_us(changed_at) > ${Number(made["at"])}
       AND source IN (${list([...byMonth, ...whole])}) ORDER BY month`,
  )
  if (changes.some(({ source }) => whole.includes(String(source)))) return undefined
  return [...new Set(changes.map(({ month }) => String(month)))]
}

/** One vault's rows lie together, as in Parquet. */
const order = ({ time }: StoredMart): string => `ORDER BY vault_address, ${identifier(time)}`

const makeAll = (mart: StoredMart): ReadonlyArray<string> => [
  `CREATE SCHEMA IF NOT EXISTS ${CATALOG}.mart_tables`,
  `CREATE OR REPLACE TABLE ${storedName(mart.name)} AS
   FROM ${CATALOG}.mart.${identifier(mart.name)} ${order(mart)}`,
  `COMMENT ON TABLE ${storedName(mart.name)} IS ${literal(`The rows of mart.${mart.name}: read that.`)}`,
]

const remake = (mart: StoredMart, months: ReadonlyArray<string>): ReadonlyArray<string> => {
  const time = identifier(mart.time)
  const within = months
    .map((month) => `DATE '${month}-01'`)
    .map((first) => `(${time} >= ${first} AND ${time} < ${first} + INTERVAL 1 MONTH)`)
    .join(" OR ")
  return [
    `DELETE FROM ${storedName(mart.name)} WHERE ${within}`,
    `INSERT INTO ${storedName(mart.name)}
     FROM ${CATALOG}.mart.${identifier(mart.name)} WHERE ${within} ${order(mart)}`,
  ]
}

const decodeColumn = decodeRow({
  mart: text("mart"),
  martComment: optional(text)("mart_comment"),
  column: text("column_name"),
  type: text("data_type"),
  comment: optional(text)("comment"),
})

/** Makes the marts of the database attached as `copy` read the tables, with the names, types and comments they had. */
export const readStoredMarts = async (
  connection: DuckDBConnection,
  copy: string,
): Promise<void> => {
  const rows = await readRows(
    connection,
    `SELECT view_name AS mart, v.comment AS mart_comment, column_name, data_type, c.comment
     FROM duckdb_views() v JOIN duckdb_columns() c
       ON c.database_name = v.database_name AND c.schema_name = v.schema_name AND table_name = view_name
     WHERE v.database_name = ${literal(copy)} AND v.schema_name = 'mart' AND view_name IN (
       SELECT table_name FROM duckdb_tables() WHERE database_name = ${literal(copy)} AND schema_name = 'mart_tables')
     ORDER BY view_name, column_index`,
  )
  const marts = Map.groupBy(rows.map(decodeColumn), ({ mart }) => mart)
  const statements = [...marts].flatMap(([mart, columns]) => {
    const view = `mart.${identifier(mart)}`
    const selected = columns.map(
      ({ column, type }) => `${identifier(column)}::${type} AS ${identifier(column)}`,
    )
    return [
      `CREATE OR REPLACE VIEW ${view} AS SELECT ${selected.join(", ")} FROM mart_tables.${identifier(mart)}`,
      `COMMENT ON VIEW ${view} IS ${literal(columns[0]?.martComment ?? "")}`,
      ...columns.map(
        ({ column, comment }) =>
          `COMMENT ON COLUMN ${view}.${identifier(column)} IS ${literal(comment ?? "")}`,
      ),
    ]
  })
  if (statements.length === 0) return
  // A view keeps the catalog its SQL names, which readers name otherwise: so none is named.
  await connection.run(`USE ${identifier(copy)}`)
  try {
    await connection.run(statements.join(";\n"))
    await connection.run("CHECKPOINT")
  } finally {
    await connection.run(`USE ${CATALOG}`)
  }
}
