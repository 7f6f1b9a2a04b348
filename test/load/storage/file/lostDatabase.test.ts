// A database that was lost, or moved away without its log: another one of its name is not given that log.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compact } from "../../../../src/pipelines/archive/compact.ts"
import { replayed } from "../../../support/replays.ts"
import { simulated } from "../../../support/simulated.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { query, runOnce } from "../../../support/warehouseRun.ts"

it.live("neither a sync nor a replay makes a new one beside the log", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
    const sync = runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
    yield* sync
    const file = join(dataDir, "vaulthouse.duckdb")
    yield* Effect.promise(async () => {
      const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
      const connection = await instance.connect()
      await connection.run(`ATTACH '${file}' AS warehouse; USE warehouse`)
      await connection.run("create table core.of_another (x int)")
      copyFileSync(`${file}.wal`, `${file}.aside`)
      await connection.run("USE memory; DETACH warehouse")
      connection.closeSync()
      instance.closeSync()
      rmSync(file)
    })
    renameSync(`${file}.aside`, `${file}.wal`)
    const names = readdirSync(dataDir)
    for (const command of [sync, replayed(dataDir)]) {
      const refused = yield* Effect.flip(Effect.asVoid<unknown, unknown, never>(command))
      expect(String(refused)).toContain(
        `Making a new warehouse in ${dataDir}: there is vaulthouse.duckdb.wal and vaulthouse.duckdb.doublewrite of a database that is gone. Nothing was changed. Move ${file}.wal and ${file}.doublewrite to`,
      )
    }
    expect(readdirSync(dataDir)).toEqual(names)
    renameSync(`${file}.wal`, join(dataDir, "old.wal"))
    yield* replayed(dataDir)
    expect(existsSync(file)).toBe(true)
    expect(yield* query(dataDir, "from core.vaults")).toHaveLength(2)
  }),
)

it.live("no new one takes the place of a link to one on a disk that is not mounted", () =>
  Effect.gen(function* () {
    const [dataDir, disk] = [yield* temporaryFolder, yield* temporaryFolder]
    const simulator = yield* simulated({ now: "2026-06-01T12:00:00Z", days: 3, vaults: 2 })
    const sync = runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
    const [link, file] = [join(dataDir, "vaulthouse.duckdb"), join(disk, "vaulthouse.duckdb")]
    symlinkSync(file, link)
    for (const command of [sync, compact({ dataDir })]) {
      const refused = yield* Effect.flip(Effect.asVoid<unknown, unknown, never>(command))
      expect(String(refused)).toContain(
        `there is vaulthouse.duckdb, a link to ${file}, which is not there. Nothing was changed. Mount the disk that has ${file}, or remove the link, and run this again.`,
      )
    }
    expect(readlinkSync(link)).toBe(file)
    rmSync(link)
    yield* sync
    renameSync(link, file)
    symlinkSync(file, link)
    yield* sync
    expect(readlinkSync(link)).toBe(file)
  }),
)
