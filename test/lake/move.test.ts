// A warehouse moved into a lake and back is the same to the last byte, whatever kills the move; and a replay makes it in
// a lake from the archive alone.
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tableName, storedTables } from "../../src/domain/table/table.ts"
import { operationTables } from "../../src/load/tables/index.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { start, vaulthouse } from "../cli/command.ts"
import { newPrefix, objectStoreVariables } from "../support/servers/objectStore.ts"
import { readOnly } from "../support/readOnly.ts"
import { content, index } from "../support/replays.ts"
import { sharedWarehouse } from "../support/sharedWarehouse.ts"
import { asAdmin, simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { change, runOnce } from "../support/warehouseRun.ts"
import { extensions, lake, newCatalog } from "./lake.ts"

const tables = [...coreTables, ...operationTables].flatMap(storedTables).map(tableName)

/** Two runs, between which the service restated what it had said. */
const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ vaults: 3, days: 60, subaccounts: 5 })
    yield* runOnce(simulator.url, dataDir, { api: asAdmin })
    simulator.patch({ revision: 1 })
    yield* runOnce(simulator.url, dataDir, { api: asAdmin })
  }),
)

/** The checksums of every table as Parquet and CSV, and everything that describes them. */
const exported = (dataDir: string) =>
  readOnly(join(dataDir, "vaulthouse.duckdb"), async (connection) => {
    const sums: Record<string, string> = {}
    for (const table of tables) {
      for (const format of ["parquet", "csv"]) {
        const file = join(dataDir, `exported.${format}`)
        await connection.run(`COPY (FROM ${table} ORDER BY ALL) TO '${file}' (FORMAT ${format})`)
        sums[`${table} as ${format}`] = createHash("sha256")
          .update(readFileSync(file))
          .digest("hex")
        rmSync(file)
      }
    }
    const described = await connection.runAndReadAll(
      `SELECT table_name, NULL, comment FROM duckdb_tables()
       UNION ALL SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal
       UNION ALL SELECT view_name, sql, comment FROM duckdb_views() WHERE NOT internal
       UNION ALL SELECT function_name, macro_definition, comment FROM duckdb_functions() WHERE NOT internal
       ORDER BY ALL`,
    )
    return { sums, described: described.getRowsJson() }
  })

const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []

/** Kills the command as soon as `begun`. */
const killed = async (args: ReadonlyArray<string>, cwd: string, begun: () => boolean) => {
  const child = start(args, { cwd })
  const closed = once(child, "close")
  while (child.exitCode === null && !begun()) await setTimeout(5)
  child.kill("SIGKILL")
  expect((await closed)[1], "killed before it ended").toBe("SIGKILL")
}

describe.skipIf(lake === undefined)("a lake", () => {
  it.effect("takes a warehouse and gives it back, bit by bit, whatever kills the move", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const other = yield* temporaryFolder
      const before = yield* Effect.promise(() => exported(dataDir))
      yield* Effect.promise(async () => {
        const file = join(dataDir, "vaulthouse.duckdb")
        const data = join(dataDir, "lake")
        writeFileSync(
          join(dataDir, "vaulthouse.config.yaml"),
          `dataDir: .\nlake: { extensions: ${extensions} }\n`,
        )
        const address = `ducklake:${await newCatalog()}`
        const run = (...args: ReadonlyArray<string>) => vaulthouse(args, { cwd: dataDir })

        const toLake = ["move", "--to", address, "--lake-data", data]
        await killed(toLake, dataDir, () => filesIn(data).some((name) => name.endsWith(".parquet")))
        const intoLake = await run(...toLake, "--json")
        expect(intoLake).toMatchObject({ code: 0, stderr: "" })
        const moved = JSON.parse(intoLake.stdout) as {
          rows: number
          tables: ReadonlyArray<{ rows: number }>
        }
        expect(moved.tables).toHaveLength(tables.length)
        expect(moved.rows).toBeGreaterThan(5000)
        expect(moved.rows).toBe(moved.tables.reduce((sum, table) => sum + table.rows, 0))
        expect(intoLake.stdout).not.toContain(new URL(address.slice(9)).password)

        // As after a move whose commit was the last thing that it did.
        const again = await run(...toLake, "--json")
        expect(again).toEqual(intoLake)
        const told = await run(...toLake)
        const settings = /set in the configuration file:\n([^]*?)\n\n/.exec(told.stdout)?.[1] ?? ""
        expect(settings).toContain(data)
        const toldFile = settings.replace(/warehouse: .*/, `warehouse: "\${LAKE_ADDRESS}"`)
        writeFileSync(join(other, "told.yaml"), toldFile)
        const check = ["config", "check", "--config", join(other, "told.yaml")]
        const env = { LAKE_ADDRESS: address }
        expect(await vaulthouse(check, { cwd: other, env })).toMatchObject({ code: 0, stderr: "" })
        cpSync(dataDir, other, { recursive: true })
        await Effect.runPromise(change(other, "DELETE FROM core.ratio_history"))
        const refused = await vaulthouse(toLake, { cwd: other })
        expect(refused.code).not.toBe(0)
        expect(refused.stderr).toContain("is not empty")

        const toFile = ["move", "--warehouse", address, "--to", "file"]
        expect(await run(...toFile)).toMatchObject({ code: 0, stderr: "" })
        const there = await vaulthouse(toFile, { cwd: other })
        expect(there.stderr).toContain("already exists")
        renameSync(file, `${file}.old`)
        await killed(toFile, dataDir, () => existsSync(`${file}.moving`))
        expect(existsSync(file)).toBe(false)
        const back = await run(...toFile)
        expect(back).toMatchObject({ code: 0, stderr: "" })
        expect(back.stdout).toContain("compared every row: all are equal")
        expect(filesIn(dataDir).filter((name) => name.includes(".moving"))).toEqual([])
      })
      const after = yield* Effect.promise(() => exported(dataDir))
      expect(after.sums).toEqual(before.sums)
      expect(after.described).toEqual(before.described)
    }),
  )

  it.effect("takes nothing of a file in which somebody has put SQL in the place of a table", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      cpSync(yield* synced, dataDir, { recursive: true })
      const secret = join(yield* temporaryFolder, "secret")
      writeFileSync(secret, "nobody may read this")
      yield* change(
        dataDir,
        "CREATE TABLE main.kept AS FROM core.loans",
        "DROP TABLE core.loans",
        `CREATE VIEW core.loans AS
         SELECT kept.* REPLACE (content AS state) FROM main.kept, read_text('${secret}')`,
      )
      const catalog = `ducklake:${yield* Effect.promise(newCatalog)}`
      const config = `dataDir: .\nlake: { extensions: ${extensions} }\n`
      writeFileSync(join(dataDir, "vaulthouse.config.yaml"), config)
      const toLake = ["move", "--to", catalog, "--lake-data", join(dataDir, "lake")]
      const refused = yield* Effect.promise(() => vaulthouse(toLake, { cwd: dataDir }))
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /core\.loans in .*vaulthouse\.duckdb is a view .*Nothing was moved\./,
        ) as unknown,
      })
      const toFile = ["move", "--warehouse", catalog, "--to", "file"]
      const there = yield* Effect.promise(() => vaulthouse(toFile, { cwd: dataDir }))
      expect(there.stderr).toContain("already exists")
    }),
  )

  it.effect("is made by a replay from the archive alone, in object storage too", () =>
    Effect.gen(function* () {
      const dataDir = yield* synced
      const before = [yield* content(dataDir), yield* index(dataDir)]
      yield* Effect.promise(async () => {
        rmSync(join(dataDir, "vaulthouse.duckdb"))
        writeFileSync(
          join(dataDir, "vaulthouse.config.yaml"),
          `dataDir: .\nwarehouse: "\${LAKE_ADDRESS}"\nlake: { data: "${newPrefix()}", extensions: ${extensions} }\n`,
        )
        const env = { ...objectStoreVariables(), LAKE_ADDRESS: `ducklake:${await newCatalog()}` }
        const run = (...args: ReadonlyArray<string>) => vaulthouse(args, { cwd: dataDir, env })
        expect(await run("replay", "--no-publish")).toMatchObject({ code: 0 })
        expect(existsSync(join(dataDir, "vaulthouse.duckdb"))).toBe(false)
        expect(await run("move", "--to", "file")).toMatchObject({ code: 0 })
      })
      expect([yield* content(dataDir), yield* index(dataDir)]).toEqual(before)
    }),
  )
})
