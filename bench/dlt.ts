// vaulthouse and dlt over the same URLs: node bench/dlt.ts PYTHON (a Python that has dlt; `make bench-dlt`).
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { runChild, startChild } from "./child.ts"
import { type Measured, rate } from "./measured.ts"
import { urlsOf } from "./urls.ts"

const VAULTS = "20"
const DAYS = "365"

const [python = "python3"] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), "vaulthouse-bench-"))
const server = await startChild("server.ts", VAULTS, DAYS)
try {
  const dataDir = join(folder, "sync")
  const sync = await runChild<Measured>("sync.ts", server.url, dataDir)
  const urlsFile = join(folder, "urls.json")
  await writeFile(urlsFile, JSON.stringify(await urlsOf(dataDir)))
  const { stdout } = await promisify(execFile)(python, [
    join(import.meta.dirname, "dlt_pipeline.py"),
    urlsFile,
    join(folder, "dlt.duckdb"),
  ])
  const dlt = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured
  for (const [name, measured] of Object.entries({ sync, dlt })) {
    const { seconds, cpuSeconds, rows, megabytes } = measured
    console.log(
      `${name.padEnd(5)} ${rows} rows in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} CPU-s), ${megabytes.toFixed(0)} MB`,
    )
  }
  console.log(`rows/s against dlt: ${(rate(sync) / rate(dlt)).toFixed(1)}`)
} finally {
  server.process.kill()
  await rm(folder, { recursive: true, force: true })
}
