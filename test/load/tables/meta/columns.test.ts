// The example of the dictionary's columns, on a small dictionary.
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "vitest"
import { columns } from "../../../../src/load/tables/meta/columns.ts"

it("the example lists the columns of one mart in their order", async () => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run(`create schema meta;
    create table meta.columns as from (values
      ('mart.vault_latest', 2, 'second', null, 'B'), ('mart.vaults', 1, 'other', null, 'C'),
      ('mart.vault_latest', 1, 'first', 'USD', 'A')
    ) t (table_name, position, column_name, unit, description)`)
  const found = await connection.runAndReadAll(columns.example)
  expect(found.getRows()).toEqual([
    ["first", "USD", "A"],
    ["second", null, "B"],
  ])
  connection.closeSync()
  instance.closeSync()
})
