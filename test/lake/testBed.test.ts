// The engine of this version loads the extensions, and a lake in PostgreSQL and the object store holds what was written.
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "vitest"
import { newPrefix, objectStoreVariables } from "../support/objectStore.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

describe.skipIf(lake === undefined)("the lake's test bed", () => {
  it("keeps rows in PostgreSQL and S3", async () => {
    const catalog = new URL(await newCatalog())
    const variables = objectStoreVariables()
    const data = newPrefix()
    const write = async (statements: ReadonlyArray<string>) => {
      const instance = await DuckDBInstance.create(":memory:")
      const connection = await instance.connect()
      for (const name of ["postgres_scanner", "httpfs", "ducklake"]) {
        await connection.run(`LOAD '${extensions}/${name}.duckdb_extension'`)
      }
      await connection.run(
        `CREATE SECRET (TYPE s3, KEY_ID '${variables.AWS_ACCESS_KEY_ID}', SECRET '${variables.AWS_SECRET_ACCESS_KEY}',
           ENDPOINT '${new URL(variables.AWS_ENDPOINT_URL_S3).host}', USE_SSL false, URL_STYLE 'path')`,
      )
      await connection.run(
        `CREATE SECRET (TYPE postgres, HOST '${catalog.hostname}', PORT ${catalog.port}, USER '${catalog.username}',
           PASSWORD '${decodeURIComponent(catalog.password)}', DATABASE '${catalog.pathname.slice(1)}')`,
      )
      await connection.run(`ATTACH 'ducklake:postgres:' AS lake (DATA_PATH '${data}')`)
      for (const statement of statements) await connection.run(statement)
      const found = await connection.runAndReadAll("SELECT count(*)::INTEGER FROM lake.points")
      connection.closeSync()
      instance.closeSync()
      return found.getRows()
    }
    const written = [
      "CREATE TABLE lake.points (point_at TIMESTAMP)",
      "INSERT INTO lake.points SELECT TIMESTAMP '2026-06-01' FROM range(5000)",
    ]
    expect(await write(written)).toEqual([[5000]])
    expect(await write([])).toEqual([[5000]])
  })
})
