// SQL that somebody has put into a file is found without running it.
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storedTables, tableName } from "../../../src/domain/table/table.ts"
import { foreignSql } from "../../../src/load/duckdb/confine.ts"
import { creationScript } from "../../../src/load/tables/warehouseLayout.ts"
import { operationTables } from "../../../src/load/tables/index.ts"
import { CATALOG } from "../../../src/load/sql/sql.ts"
import { readings } from "../sample.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"

const tables = [readings, ...operationTables]
const stored = tables.flatMap(storedTables)
const name = tableName(readings)

/** What is found in the file of a warehouse changed by `statements`; what their views read is gone. */
const foundAfter = (...statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const csv = join(folder, "read.csv")
    writeFileSync(csv, "x\n1\n")
    return yield* Effect.promise(async () => {
      const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
      const connection = await instance.connect()
      const file = join(folder, "vaulthouse.duckdb")
      try {
        await connection.run(`ATTACH '${file}' AS ${CATALOG}`)
        await connection.run(creationScript(tables))
        await connection.run(`USE ${CATALOG}`)
        for (const each of statements) await connection.run(each.replaceAll("read.csv", csv))
        await connection.run(`USE memory; DETACH ${CATALOG}`)
        rmSync(csv)
        await connection.run(`ATTACH '${file}' AS ${CATALOG} (READ_ONLY)`)
        await connection.run(`USE ${CATALOG}`)
        return [
          await foreignSql(connection, CATALOG, stored),
          await foreignSql(connection, CATALOG, stored, ["mart", "meta"]),
        ]
      } finally {
        connection.closeSync()
        instance.closeSync()
      }
    })
  })

it.effect.each([
  ["nothing in a file as it was made", [], undefined, undefined],
  [
    "a view in the place of a table",
    [`DROP TABLE ${name}`, `CREATE VIEW ${name} AS FROM read_csv('read.csv')`],
    name,
    name,
  ],
  ["that a table is missing", [`DROP TABLE ${name}`], name, name],
  [
    "a computed column",
    [
      `CREATE OR REPLACE TABLE ${name} (value DOUBLE, vault_address VARCHAR GENERATED ALWAYS AS (value::VARCHAR))`,
    ],
    name,
    name,
  ],
  [
    "a view where vaulthouse makes none",
    ["CREATE VIEW mart.mine AS SELECT 1", "CREATE VIEW main.other AS FROM read_csv('read.csv')"],
    undefined,
    "main.other",
  ],
  [
    "a macro that would hide a function from it",
    [
      "CREATE MACRO mart.as_of() AS TABLE SELECT 1",
      "CREATE MACRO main.duckdb_views() AS TABLE SELECT 'mart' AS schema_name",
    ],
    undefined,
    "main.duckdb_views",
  ],
] as const)("finds %s", ([, statements, inTables, anywhere]) =>
  Effect.gen(function* () {
    expect(yield* foundAfter(...statements)).toEqual([inTables, anywhere])
  }),
)
