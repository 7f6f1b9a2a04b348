// Publishes a service that revises its history many times over and opens every publication with older and newer engines: what a
// file of one run can't show is what many checkpoints leave in it. node test/engines/publications.ts FOLDER
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { startSimulator } from "../../simulator/index.ts"
import { enginesIn } from "./engines.ts"

const ROUNDS = 12
const HOUR_MS = 3_600_000
const [installed = ""] = process.argv.slice(2)
const run = promisify(execFile)

const began = Date.parse("2026-06-01T00:00:00Z")
const at = (round: number): string => new Date(began + round * HOUR_MS).toISOString()
const folder = mkdtempSync(join(tmpdir(), "vaulthouse-publications-"))
writeFileSync(
  join(folder, "vaulthouse.config.yaml"),
  "publishedKeep: { copies: 100, days: 7 }\nparquet: { enabled: false }\n",
)
const simulator = await startSimulator({ vaults: 3, days: 30, now: at(0), slowReadMs: 0 })
try {
  for (let round = 0; round <= ROUNDS; round += 1) {
    simulator.patch({ now: at(round), revision: round })
    await run(
      join(import.meta.dirname, "../../bin/vaulthouse"),
      ["sync", "--base-url", simulator.url, "--log-format", "json"],
      { cwd: folder, maxBuffer: 1 << 26 },
    )
  }
  const published = join(folder, "data/published")
  const files = readdirSync(published)
    .filter((name) => name.startsWith("vaulthouse-"))
    .map((name) => join(published, name))
  if (files.length <= ROUNDS) throw new Error(`only ${files.length} publications`)
  for (const engine of enginesIn(installed)) {
    await engine.run("open", ...files)
    process.stdout.write(`${engine.name}: ${files.length} publications opened\n`)
  }
} finally {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
}
