// A lake whose Parquet files are in object storage: a sync writes them, a reader's own DuckDB finds the same rows.
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { databaseError } from "../../../src/load/errors.ts"
import { start, vaulthouse } from "../../cli/command.ts"
import { newPrefix, objectStoreVariables } from "../../support/servers/objectStore.ts"
import { simulated } from "../../support/simulated.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { extensions, lake, newCatalog } from "../lake.ts"

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

/** For another store, as a user may have done. */
const storeSecret = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true })
  const instance = await DuckDBInstance.create(":memory:", { secret_directory: folder })
  const connection = await instance.connect()
  await connection.run(`LOAD '${extensions}/httpfs.duckdb_extension'`)
  await connection.run(
    "CREATE PERSISTENT SECRET other (TYPE s3, KEY_ID 'a', SECRET 'b', ENDPOINT '127.0.0.1:1', USE_SSL false)",
  )
  connection.closeSync()
  instance.closeSync()
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

  it.live("have the rows that were published, for a reader of the lake too", () =>
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
  )

  it.live(
    "are reached with the key of a profile, whatever secret the user has stored for DuckDB",
    () =>
      Effect.gen(function* () {
        const { cwd, catalog, configure } = yield* prepared
        configure(newPrefix())
        const {
          AWS_ACCESS_KEY_ID: id,
          AWS_SECRET_ACCESS_KEY: secret,
          ...variables
        } = objectStoreVariables()
        const file = join(cwd, "credentials")
        const profile = [
          "[writer]",
          `aws_access_key_id = ${id}`,
          `aws_secret_access_key = ${secret}`,
        ]
        writeFileSync(file, profile.join("\n"))
        yield* Effect.promise(() => storeSecret(join(cwd, ".duckdb/stored_secrets")))
        const env = {
          ...variables,
          AWS_SHARED_CREDENTIALS_FILE: file,
          AWS_PROFILE: "writer",
          HOME: cwd,
        }
        // DuckDB reads the variables of the process.
        const child = start([...sync, "--no-publish"], { cwd, env })
        const code = yield* Effect.promise(
          () => new Promise((resolve) => child.once("close", resolve)),
        )
        expect(code).toBe(0)
        expect(yield* Effect.promise(() => asReader(catalog))).toMatchObject([{ vaults: 2 }])
      }),
  )

  it.live("are looked for at the start of a sync and of a worker", () =>
    Effect.gen(function* () {
      const { cwd, configure } = yield* prepared
      configure("s3://no-such-bucket/lake")
      const env = objectStoreVariables()
      for (const command of [sync, ["worker", "--no-progress"]]) {
        const { code, stderr } = yield* Effect.promise(() => vaulthouse(command, { cwd, env }))
        expect(code).toBe(1)
        expect(stderr.replaceAll(/\s+/g, " ")).toContain(
          "lake's Parquet files in s3://no-such-bucket/lake (lake.data): there is no bucket no-such-bucket. Create it, or correct its name.",
        )
      }
    }),
  )

  it("name what a key may not do, as DuckDB learns it", async () => {
    let [status, code, exists] = [403, "AccessDenied", true]
    const server = createServer(({ method }, response) => {
      if (method === "HEAD" && exists) {
        response.setHeader("content-length", 1000)
        return void response.end()
      }
      response.statusCode = status
      response.end(`<Error><Code>${code}</Code><Message>No</Message></Error>`)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    await connection.run(`LOAD '${extensions}/httpfs.duckdb_extension'`)
    await connection.run(
      `CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET 'b', ENDPOINT '127.0.0.1:${port}', USE_SSL false, URL_STYLE 'path')`,
    )
    const whyNot = async (sql: string) => {
      const cause = await connection.run(sql).catch((error: unknown) => error)
      const { why, advice } = databaseError("Committing rows", cause)
      return `${why}. ${advice}`
    }
    try {
      expect(await whyNot("COPY (SELECT 1 AS a) TO 's3://bucket/lake/a.parquet'")).toBe(
        "the key may not write objects in s3://bucket/lake/a.parquet (AccessDenied). Allow s3:PutObject there.",
      )
      expect(await whyNot("SELECT * FROM glob('s3://bucket/lake/a*')")).toContain(
        "the key may not list objects in s3://bucket/lake/a (AccessDenied). Allow s3:ListBucket there.",
      )
      const read = "SELECT * FROM 's3://bucket/lake/a.parquet'"
      expect(await whyNot(read)).toBe(
        "the key may not read objects in s3://bucket/lake/a.parquet (AccessDenied). Allow s3:GetObject there.",
      )
      ;[status, code] = [400, "ExpiredToken"]
      expect(await whyNot(read)).toContain(
        "s3://bucket/lake/a.parquet does not accept the key (ExpiredToken). Check AWS_ACCESS_KEY_ID",
      )
      ;[status, code] = [404, "NoSuchKey"]
      for (exists of [true, false]) {
        expect(await whyNot(read)).toContain(
          "there is no object s3://bucket/lake/a.parquet, although the lake's catalog names it. No run brings it back.",
        )
      }
    } finally {
      connection.closeSync()
      instance.closeSync()
      server.closeAllConnections()
      server.close()
    }
  })
})
