// A view that is copied elsewhere is made from what DuckDB prints of it, once the file was reopened: the text must mean
// the same. (A CROSS JOIN before a LEFT JOIN does not: it is printed as a comma, which binds less.)
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "vitest"
import { CATALOG, literal } from "../../src/load/sql/sql.ts"
import { openWarehouse, readRows } from "./support.ts"

it("every view can be made in a new database from the text in the catalog", async () => {
  const { directory, connection, close } = await openWarehouse()
  await connection.run(`USE memory; DETACH ${CATALOG}`)
  const instance = await DuckDBInstance.create(":memory:")
  const fresh = await instance.connect()
  const attach = `ATTACH ${literal(join(directory, "writer.duckdb"))} AS copy (READ_ONLY)`
  await fresh.run(attach)
  const objects = async (kind: string) =>
    readRows(
      fresh,
      `SELECT schema_name AS schema, sql FROM duckdb_${kind}s() WHERE database_name = 'copy'
       AND NOT internal ORDER BY ${kind}_oid`,
    )
  let left = [...(await objects("table")), ...(await objects("view"))]
  for (const schema of new Set(left.map((row) => row["schema"]))) {
    await fresh.run(`CREATE SCHEMA IF NOT EXISTS ${String(schema)}`)
  }
  // A view that was replaced stands before those it reads.
  for (let round = 0; round < 5; round += 1) {
    const failed: typeof left = []
    for (const row of left) {
      await fresh.run(String(row["sql"])).catch(() => failed.push(row))
    }
    left = failed
  }
  expect(left).toEqual([])
  const views = await readRows(
    fresh,
    `SELECT schema_name || '.' || view_name AS name FROM duckdb_views()
     WHERE database_name = 'memory' AND NOT internal`,
  )
  expect(views.length).toBeGreaterThan(30)
  for (const { name } of views) await fresh.run(`SELECT * FROM ${String(name)}`)
  instance.closeSync()
  close()
})
