// A lake holds what a file holds, row by row, whether one process has synced it or two at once.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { storedKey, storedTables, tableName } from "../../src/domain/table/table.ts"
import { coreTables } from "../../src/pipelines/pipelines.ts"
import { simulated } from "../support/simulated.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { attached } from "./attached.ts"
import { extensions, type Lake, lake, newLake } from "./lake.ts"

const command = join(import.meta.dirname, "../../bin/vaulthouse")

// The present of the service, which dates what it computes by it, and an instant after that of this machine.
const NOW = "2024-06-01T00:00:00Z"
const LATER = "2100-01-01"

/** Stored marts are made in the copies of a lake, not in itself. */
const ofStoredMarts = /^ops\.(stored_marts|partition_changes)$/

/** Two runs have more bookkeeping and health factors than one, and the second finds what the first has loaded. */
const ofSecondRun =
  /^(ops|raw)\.|^meta\.(runs|freshness)$|^mart\.(last_read|freshness|completeness|subaccount_health_daily)$/

/** `vaulthouse sync` in a process and a data directory of its own; into a file without `into`. */
const synced = (url: string, into?: Lake) =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const config = join(dataDir, "config.yaml")
    const warehouse = into === undefined ? [] : ["--warehouse", `ducklake:${into.catalog}`]
    yield* Effect.promise(async () => {
      await writeFile(config, JSON.stringify({ lake: { data: into?.data, extensions } }))
      const argv = ["sync", "--base-url", url, "--data-dir", dataDir, "--config", config]
      const child = spawn(command, [...argv, "--no-progress", ...warehouse], {
        env: { ...process.env, VAULTHOUSE_API_KEY: "demo-admin-key" },
        stdio: ["ignore", "ignore", "pipe"],
      })
      let said = ""
      child.stderr.on("data", (text: Buffer) => (said += String(text)))
      const [code] = (await once(child, "close")) as [number]
      if (code !== 0) throw new Error(`sync ended with ${code}: ${said}`)
    })
    return dataDir
  })

describe.skipIf(lake === undefined)("a lake", () => {
  it.live("holds what a file holds", () =>
    Effect.gen(function* () {
      const simulator = yield* simulated({ vaults: 2, days: 6, subaccounts: 4, now: NOW })
      const [alone, shared] = yield* Effect.all([newLake, newLake])
      const [file] = yield* Effect.all(
        [
          synced(simulator.url),
          synced(simulator.url, alone),
          synced(simulator.url, shared),
          synced(simulator.url, shared),
        ],
        { concurrency: "unbounded" },
      )
      const all = yield* Effect.acquireRelease(
        Effect.promise(() => attached({ file: join(file, "vaulthouse.duckdb"), alone, shared })),
        ({ close }) => Effect.sync(close),
      )
      yield* Effect.promise(async () => {
        const names = await all.sources("file", LATER)
        expect(names.length).toBeGreaterThan(120)
        for (const other of ["alone", "shared"]) {
          expect(await all.sources(other, LATER)).toEqual(names)
          const isShared = other === "shared"
          const left = isShared ? ofSecondRun : ofStoredMarts
          for (const name of names.filter((each) => !left.test(each))) {
            // The service dates some of its responses: the second one is another version then.
            const rows = await all.difference("file", other, name, NOW, isShared)
            expect.soft(rows, `${name} of the lake ${other}`).toEqual([])
          }
        }
        // What two syncs wrote at once is compared as sets: nothing may be there twice.
        for (const table of coreTables.flatMap(storedTables)) {
          const key = storedKey(table).map((name) => `"${name}"`)
          const twice = await all.rows(
            `SELECT ${key.join(", ")} FROM shared.${tableName(table)} GROUP BY ALL HAVING count(*) > 1`,
          )
          expect.soft(twice, tableName(table)).toEqual([])
        }
      })
    }),
  )
})
