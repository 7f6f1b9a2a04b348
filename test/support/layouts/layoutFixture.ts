// Makes a data directory of the present layout for test/load/tables/layouts.test.ts: two runs against the simulator, the second
// after a revision. node test/support/layouts/layoutFixture.ts test/fixtures/warehouses/VERSION.tar.gz
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { startSimulator } from "../../../simulator/index.ts"
import { layoutWorld } from "./layoutWorld.ts"
import { change, runOnce } from "../warehouseRun.ts"

const file = resolve(process.argv[2] ?? "")
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
const of = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]
execFileSync("tar", ["--create", `--file=${file}`, ...of, "--use-compress-program=gzip -9n", "."], {
  cwd: dataDir,
})
rmSync(dataDir, { recursive: true })
