// Views and macros are made when they are new or changed, dropped when this version has none, else left alone.
import { afterAll, beforeAll, expect, it } from "vitest"
import { createMarts } from "../../../src/load/marts/createMarts.ts"
import { alone } from "../../../src/load/duckdb/transaction.ts"
import { storedTables } from "../../../src/domain/table/table.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import {
  declaredTables,
  openWarehouse,
  readRows,
  type TestWarehouse,
} from "../../warehouse/support.ts"

let warehouse: TestWarehouse
beforeAll(async () => {
  warehouse = await openWarehouse()
})
afterAll(() => warehouse.close())

const names = async () =>
  (
    await readRows(
      warehouse.connection,
      `SELECT view_name AS name, comment FROM duckdb_views()
       WHERE database_name = '${CATALOG}' AND schema_name = 'mart' ORDER BY name`,
    )
  ).map(({ name, comment }) => [name, comment])

/** What DuckDB has of the catalog: a view that is made again gets another id. */
const ids = async () =>
  (
    await readRows(
      warehouse.connection,
      `SELECT view_oid AS id FROM duckdb_views() WHERE database_name = '${CATALOG}'
         AND schema_name = 'mart' ORDER BY id`,
    )
  ).map(({ id }) => id)

it("makes nothing again that is as it should be", async () => {
  const before = await ids()
  await createMarts(alone(warehouse.connection), declaredTables)
  expect(await ids()).toEqual(before)
})

it("lists each table once in the dictionary, as a run does with the tables it stores", async () => {
  const { connection } = warehouse
  await createMarts(alone(connection), declaredTables.flatMap(storedTables))
  const twice = await readRows(
    connection,
    `SELECT table_name FROM ${CATALOG}.meta.tables GROUP BY table_name HAVING count(*) > 1`,
  )
  expect(twice).toEqual([])
})

it("makes a missing and a changed one, with comments, and drops one it does not know", async () => {
  const { connection } = warehouse
  const before = await names()
  await connection.run(`DROP VIEW ${CATALOG}.mart.clock`)
  await connection.run(`CREATE OR REPLACE VIEW ${CATALOG}.mart.series AS SELECT 1 AS series`)
  await connection.run(
    `UPDATE ${CATALOG}.ops.view_fingerprints SET fingerprint = 'older' WHERE name = 'mart.series'`,
  )
  await connection.run(`CREATE VIEW ${CATALOG}.mart.of_an_earlier_version AS SELECT 1 AS a`)
  await createMarts(alone(connection), declaredTables)
  expect(await names()).toEqual(before)
  const columns = await readRows(
    connection,
    `SELECT count(*)::INTEGER AS n FROM duckdb_columns() WHERE database_name = '${CATALOG}'
       AND schema_name = 'mart' AND table_name = 'series' AND comment IS NOT NULL`,
  )
  expect(columns).toEqual([{ n: 9 }])
})
