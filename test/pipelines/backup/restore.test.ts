// A restore into a folder that something else is left in: what was restored is the backup, and nothing becomes less.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { backup } from "../../../src/pipelines/backup/backup.ts"
import { restore } from "../../../src/pipelines/backup/restore.ts"
import { fingerprint, simulated } from "../../support/simulated.ts"
import { sharedWarehouse } from "../../support/sharedWarehouse.ts"
import { temporaryFolder } from "../../support/temporaryFolder.ts"
import { runOnce } from "../../support/warehouseRun.ts"

const publish = { parquet: undefined }
const pipelines = ["vaults", "ratio_history"]

const synced = sharedWarehouse((dataDir) =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 5, vaults: 2 })
    yield* runOnce(simulator.url, dataDir, { pipelines, publish })
  }),
)

const backedUp = Effect.gen(function* () {
  const [dataDir, folder] = [yield* synced, yield* temporaryFolder]
  const target = join(folder, "backup")
  const { files } = yield* backup({ dataDir }, target)
  const segments = files.map(({ path }) => path).filter((path) => path.startsWith("raw/"))
  return { dataDir, target, segments, database: join(dataDir, "vaulthouse.duckdb") }
})

/** Leaves the log of a process that was killed after it had committed the statement. */
const leaveLog = (database: string, statement: string) =>
  Effect.promise(async () => {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
    const connection = await instance.connect()
    await connection.run(`ATTACH '${database}' AS warehouse; USE warehouse`)
    await connection.run(statement)
    copyFileSync(`${database}.wal`, `${database}.aside`)
    await connection.run("USE memory; DETACH warehouse")
    connection.closeSync()
    instance.closeSync()
    renameSync(`${database}.aside`, `${database}.wal`)
  })

describe("what a lost database has left", () => {
  it.live("is not applied to the restored one: the restore says what to move away", () =>
    Effect.gen(function* () {
      const { dataDir, target, database } = yield* backedUp
      const before = yield* fingerprint(dataDir)
      yield* leaveLog(database, "update core.ratio_history set actual_tvl = 1")
      renameSync(database, join(dataDir, "old.duckdb"))
      const names = readdirSync(dataDir)
      const refused = yield* Effect.flip(restore(target, { dataDir }))
      expect(refused.message).toMatch(
        /holds vaulthouse\.duckdb\.wal and vaulthouse\.duckdb\.doublewrite of a database that is gone\.\nNothing was changed\. Move \S+vaulthouse\.duckdb\.wal and/,
      )
      expect(readdirSync(dataDir)).toEqual(names)
      renameSync(`${database}.wal`, join(dataDir, "old.duckdb.wal"))
      const again = yield* Effect.flip(restore(target, { dataDir }))
      expect(again.message).toContain("holds vaulthouse.duckdb.doublewrite of a database")
      renameSync(`${database}.doublewrite`, join(dataDir, "old.duckdb.doublewrite"))
      yield* restore(target, { dataDir })
      expect(yield* fingerprint(dataDir)).toEqual(before)
    }),
  )

  it.live("keeps an interrupted restore from being repeated until it is moved away", () =>
    Effect.gen(function* () {
      const { target, database, dataDir } = yield* backedUp
      const before = yield* fingerprint(dataDir)
      const elsewhere = join(yield* temporaryFolder, "restored")
      // No file takes the place of a folder.
      mkdirSync(join(elsewhere, "vaulthouse.duckdb.new"), { recursive: true })
      yield* Effect.flip(restore(target, { dataDir: elsewhere }))
      rmSync(join(elsewhere, "vaulthouse.duckdb.new"), { recursive: true })
      yield* leaveLog(database, "update core.ratio_history set actual_tvl = 1")
      const log = join(elsewhere, "vaulthouse.duckdb.wal")
      renameSync(`${database}.wal`, log)
      const refused = yield* Effect.flip(restore(target, { dataDir: elsewhere }))
      expect(refused.message).toContain("holds vaulthouse.duckdb.wal of a database that is gone")
      rmSync(log)
      yield* restore(target, { dataDir: elsewhere })
      expect(yield* fingerprint(elsewhere)).toEqual(before)
      expect(existsSync(join(elsewhere, "restoring.json"))).toBe(false)
    }),
  )
})
