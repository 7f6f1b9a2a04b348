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
  /** Tables of which a row of the mart is made from rows of its own month alone, and their event time. */
  readonly byMonth: Readonly<Record<string, string>>
  /** Tables of which any change may change any row. */
  readonly whole: ReadonlyArray<string>
  /** Marts it reads, in dependency order. */
  readonly through: ReadonlyArray<string>
}

const ratios = { "core.ratio_history": "observed_at" }
const pnl = { "core.pnl_history": "snapshot_at" }
const positions = { "core.position_snapshots": "snapshot_at" }

/** Made from nothing else: neither from the time nor from other tables, which a test checks. */
export const storedMarts: ReadonlyArray<StoredMart> = [
  { name: "ratio_days", time: "day", byMonth: ratios, whole: [], through: ["ratio_points"] },
  { name: "pnl_days", time: "day", byMonth: pnl, whole: [], through: [] },
  { name: "position_days", time: "day", byMonth: positions, whole: [], through: [] },
  {
    name: "vault_hourly",
    time: "hour_at",
    byMonth: { ...ratios, ...pnl, ...positions },
    whole: ["core.vaults"],
    through: ["ratio_points", "vault_addresses"],
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
  const { connection } = session
  const { isWhole, months } = await changed(connection, mart, definition)
  if (!isWhole && months.length === 0) return
  const refreshed = { name: mart.name, definition, refreshed_at: session.tick() }
  await withMonthViews(connection, mart, () =>
    transaction(session, async () => {
      for (const statement of isWhole ? emptyTable(mart) : []) await connection.run(statement)
      for (const month of months) await connection.run(remake(mart, month))
      await new Changes(session).write([rowsOf(storedMartsTable, [refreshed])])
    }),
  )
}

/** The months to make again; all there are where it was never made, or made from something else. */
const changed = async (
  connection: DuckDBConnection,
  { name, byMonth, whole }: StoredMart,
  definition: string,
) => {
  const [made] = await readRows(
    connection,
    `SELECT epoch_us(refreshed_at)::DOUBLE AS at FROM ${CATALOG}.ops.stored_marts
     WHERE name = $1 AND definition = $2`,
    [name, definition],
  )
  const changes = await readRows(
    connection,
    `SELECT table_schema || '.' || table_name AS source, month,
       epoch_us(changed_at) > ${Number(made?.["at"] ?? 0)} AS is_new
     FROM ${CATALOG}.ops.partition_changes
     WHERE source IN (${list([...Object.keys(byMonth), ...whole])}) ORDER BY month`,
  )
  const isWhole =
    made === undefined ||
    changes.some(({ source, is_new }) => is_new === true && whole.includes(String(source)))
  const months = changes
    .filter(({ source, is_new }) => String(source) in byMonth && (isWhole || is_new === true))
    .map(({ month }) => String(month))
  return { isWhole, months: [...new Set(months)] }
}

/**
 * Runs `work` with the mart as it is made from one month's rows, that from the variable `month_from` on, attached as
 * `of_month`. A filter on the mart itself would read all rows: it is on what was computed from their time.
 */
const withMonthViews = async (
  connection: DuckDBConnection,
  { name, byMonth, whole, through }: StoredMart,
  work: () => Promise<void>,
): Promise<void> => {
  const tables = [
    ...Object.entries(byMonth).map(([table, time]) => {
      const within = `${time} >= getvariable('month_from') AND ${time} < getvariable('month_until')`
      return `CREATE VIEW of_month.${table} AS FROM ${CATALOG}.${table} WHERE ${within}`
    }),
    ...whole.map((table) => `CREATE VIEW of_month.${table} AS FROM ${CATALOG}.${table}`),
  ]
  const defined = await readRows(
    connection,
    `SELECT view_name AS name, sql FROM duckdb_views()
     WHERE database_name = '${CATALOG}' AND schema_name = 'mart'`,
  )
  const views = [...through, name].map((mart) => defined.find((view) => view["name"] === mart))
  await connection.run("ATTACH ':memory:' AS of_month")
  try {
    await connection.run("USE of_month")
    await connection.run(
      "CREATE SCHEMA core; CREATE SCHEMA mart; SET VARIABLE month_from = NULL::TIMESTAMP; SET VARIABLE month_until = NULL::TIMESTAMP",
    )
    for (const sql of [...tables, ...views.map((view) => String(view?.["sql"]))]) {
      await connection.run(sql)
    }
    await connection.run(`USE ${CATALOG}`)
    await work()
  } finally {
    await connection.run(`USE ${CATALOG}`)
    await connection.run("DETACH of_month")
  }
}

const emptyTable = ({ name }: StoredMart): ReadonlyArray<string> => [
  `CREATE SCHEMA IF NOT EXISTS ${CATALOG}.mart_tables`,
  `CREATE OR REPLACE TABLE ${storedName(name)} AS FROM of_month.mart.${identifier(name)} LIMIT 0`,
  `COMMENT ON TABLE ${storedName(name)} IS ${literal(`The rows of mart.${name}: read that.`)}`,
]

/** One vault's rows of a month lie together. */
const remake = ({ name, time }: StoredMart, month: string): string => `
  SET VARIABLE month_from = TIMESTAMP '${month}-01';
  SET VARIABLE month_until = getvariable('month_from') + INTERVAL 1 MONTH;
  DELETE FROM ${storedName(name)}
  WHERE ${time} >= getvariable('month_from') AND ${time} < getvariable('month_until');
  INSERT INTO ${storedName(name)}
  FROM of_month.mart.${identifier(name)} ORDER BY vault_address, ${time}`

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
