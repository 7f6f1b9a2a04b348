// A lake whose Parquet files are in object storage: a sync writes them, a reader's own DuckDB finds the same rows.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { start, vaulthouse } from "../cli/command.ts"
import { newPrefix, objectStoreVariables } from "../support/objectStore.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

const counts =
  "select (select count(*) from core.vaults)::integer as vaults, (select count(*) from core.ratio_history)::integer as points"

/** As a reader attaches it (docs/lake.md). */
const asReader = async (catalogUrl: string) => {
  const catalog = new URL(catalogUrl)
  const variables = objectStoreVariables()
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
  await connection.run(
    "ATTACH 'ducklake:postgres:' AS lake (READ_ONLY, METADATA_SCHEMA 'vaulthouse_lake')",
  )
  await connection.run("USE lake")
  const found = await connection.runAndReadAll(counts)
  connection.closeSync()
  instance.closeSync()
  return found.getRowObjectsJson()
}

describe.skipIf(lake === undefined)("a lake's files in object storage", () => {
  const prepared = Effect.gen(function* () {
    const cwd = yield* temporaryFolder
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", vaults: 2, days: 20 })
    const catalog = yield* Effect.promise(newCatalog)
    const configure = (data: string) =>
      writeFileSync(
        join(cwd, "vaulthouse.config.yaml"),
        [
          `baseUrl: ${simulator.url}`,
          `warehouse: "ducklake:${catalog}"`,
          `lake: { data: "${data}", extensions: "${extensions}" }`,
          "pipelines: [vaults, ratio_history]",
          "parquet: { enabled: false }",
        ].join("\n"),
      )
    return { cwd, catalog, configure }
  })
  const sync = ["sync", "--no-progress"]

  it.live(
    "have the rows that were published, for a reader of the lake too",
    () =>
      Effect.gen(function* () {
        const { cwd, catalog, configure } = yield* prepared
        const prefix = newPrefix()
        configure(prefix)
        const env = objectStoreVariables()
        const ended = yield* Effect.promise(() => vaulthouse(sync, { cwd, env }))
        expect(ended).toMatchObject({ code: 0 })
        const query = ["query", "--format", "json", counts]
        const published = yield* Effect.promise(() => vaulthouse(query, { cwd, env }))
        expect(yield* Effect.promise(() => asReader(catalog))).toEqual(JSON.parse(published.stdout))
        expect(JSON.parse(published.stdout)).toMatchObject([{ vaults: 2 }])
        // A run without news, by another process.
        const again = start(sync, { cwd, env })
        const code = yield* Effect.promise(
          () => new Promise((resolve) => again.once("close", resolve)),
        )
        expect(code).toBe(0)
      }),
    120_000,
  )
})
