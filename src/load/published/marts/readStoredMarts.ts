// Makes the marts of a published copy read the tables of schema `mart_tables` that it holds.
import type { DuckDBConnection } from "@duckdb/node-api"
import { decodeRow, optional, text } from "../../duckdb/decodeRow.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { identifier, literal } from "../../sql/sql.ts"
import { storedMarts } from "../../marts/storedMarts.ts"
import { undoing } from "../../duckdb/undoing.ts"

const decodeColumn = decodeRow({
  mart: text("mart"),
  martComment: optional(text)("mart_comment"),
  column: text("column_name"),
  type: text("data_type"),
  comment: optional(text)("comment"),
})

/** Changes the views of the database attached as `copy`, which keep their names, types and comments. */
export const readStoredMarts = async (
  connection: DuckDBConnection,
  copy: string,
): Promise<void> => {
  // A table that an older version left is not kept up to date.
  const names = storedMarts.map(({ name }) => literal(name)).join(", ")
  const rows = await readRows(
    connection,
    `SELECT view_name AS mart, v.comment AS mart_comment, column_name, data_type, c.comment
     FROM duckdb_views() v JOIN duckdb_columns() c
       ON c.database_name = v.database_name AND c.schema_name = v.schema_name AND table_name = view_name
     WHERE v.database_name = ${literal(copy)} AND v.schema_name = 'mart' AND view_name IN (
       SELECT table_name FROM duckdb_tables()
       WHERE database_name = ${literal(copy)} AND schema_name = 'mart_tables' AND table_name IN (${names}))
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
  // A view keeps the catalog that its SQL names, which readers may name differently, so the SQL names none.
  await connection.run(`USE ${identifier(copy)}`)
  await undoing(
    () => connection.run("USE memory"),
    async () => {
      await connection.run(statements.join(";\n"))
      await connection.run("CHECKPOINT")
    },
  )
}
