// Makes a warehouse of the present layout for test/load/tables/layouts.test.ts: two runs against the simulator, the second
// after a revision. node test/support/layouts/layoutFixture.ts test/fixtures/warehouses/VERSION.duckdb.gz
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { startSimulator } from "../../../simulator/index.ts"
import { layoutWorld } from "./layoutWorld.ts"
import { change, runOnce } from "../warehouseRun.ts"

const [file = ""] = process.argv.slice(2)
const dataDir = mkdtempSync(join(tmpdir(), "vaulthouse-layout-"))
const simulator = await startSimulator(layoutWorld)
await Effect.runPromise(
  Effect.gen(function* () {
    yield* runOnce(simulator.url, dataDir)
    simulator.patch({ revision: 1, now: "2026-06-01T05:00:00Z" })
    yield* runOnce(simulator.url, dataDir)
    yield* change(dataDir, "checkpoint")
  }),
)
await simulator.close()
writeFileSync(file, gzipSync(readFileSync(join(dataDir, "vaulthouse.duckdb")), { level: 9 }))
rmSync(dataDir, { recursive: true })
