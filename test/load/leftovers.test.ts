// What killed commands leave in the data directory, and who removes it.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { start } from "../cli/command.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { until } from "../support/until.ts"
import { runOnce } from "../support/warehouseRun.ts"
import { inWarehouse } from "./sample.ts"

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })

const spilled = (name: string): boolean => name.includes("duckdb_temp")

/** Starts a replay and kills it while it rebuilds; one that was faster is started again. */
const killedReplay = async (dataDir: string): Promise<void> => {
  const rebuilt = join(dataDir, "replay/vaulthouse.duckdb")
  while (!existsSync(rebuilt)) {
    const child = start(["replay", "--no-publish", "--data-dir", dataDir], { cwd: dataDir })
    const closed = once(child, "close")
    await until("it rebuilds", () => child.exitCode !== null || existsSync(rebuilt))
    child.kill("SIGKILL")
    const [code] = await closed
    expect(code ?? 0).toBe(0)
  }
}

it.live("what a killed replay has rebuilt is gone after the next sync", () =>
  Effect.gen(function* () {
    const simulator = yield* simulated({ vaults: 1, days: 2, subaccounts: 1 })
    const dataDir = yield* temporaryFolder
    const sync = runOnce(simulator.url, dataDir, { pipelines: ["vaults"] })
    yield* sync
    const before = new Set(filesIn(dataDir))
    yield* Effect.promise(() => killedReplay(dataDir))
    yield* sync
    const added = filesIn(dataDir).filter((name) => !before.has(name))
    expect(added.filter((name) => !name.startsWith("raw/"))).toEqual([])
  }),
)

it.live("what a killed writer has spilled is gone once the next one has opened the warehouse", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.promise(async () => {
      const script = join(import.meta.dirname, "spiller.ts")
      const child = spawn(process.execPath, [script, dataDir], { stdio: "inherit" })
      const closed = once(child, "close")
      await until("it spills", () => filesIn(dataDir).some(spilled))
      child.kill("SIGKILL")
      expect((await closed)[1]).toBe("SIGKILL")
    })
    expect(filesIn(dataDir).filter(spilled)).not.toEqual([])
    yield* inWarehouse(dataDir, Effect.void)
    expect(filesIn(dataDir).filter(spilled)).toEqual([])
  }),
)

it.live("nothing else is removed, and nothing by a process that shares the data directory", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const ofUsers = ["replay-notes.txt", "vaulthouse.duckdb.old", "tmp/spill-1/duckdb_temp_block-1"]
    // Of a move out of a lake, and of a restore that was killed before it began.
    const left = [
      "replay/vaulthouse.duckdb",
      "vaulthouse.duckdb.moving",
      "vaulthouse.duckdb.moving.4711",
      "vaulthouse.duckdb.moving.wal",
      "restoring.json.tmp",
      "tmp/duckdb_temp_storage_DEFAULT-0.tmp",
    ]
    for (const folder of ["replay", "tmp/spill-1"]) {
      mkdirSync(join(dataDir, folder), { recursive: true })
    }
    for (const name of [...ofUsers, ...left]) writeFileSync(join(dataDir, name), "")
    yield* inWarehouse(dataDir, Effect.void, { sharesDataDir: true })
    expect(filesIn(dataDir)).toEqual(expect.arrayContaining([...ofUsers, ...left]))
    yield* inWarehouse(dataDir, Effect.void)
    expect(filesIn(dataDir)).toEqual(expect.arrayContaining(ofUsers))
    expect(left.filter((name) => existsSync(join(dataDir, name)))).toEqual([])
  }),
)
