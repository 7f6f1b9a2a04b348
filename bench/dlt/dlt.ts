// vaulthouse and dlt over the same URLs, and their section of docs/benchmarks.md: node bench/dlt/dlt.ts PYTHON (a Python that
// has dlt; `make bench-dlt`).
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { runChild, startChild } from "../child.ts"
import { type Measured, rate } from "../measured.ts"
import { writeSection } from "../section.ts"
import { header, line } from "../table.ts"
import { urlsOf } from "../scripts/urls.ts"

const VAULTS = "20"
const DAYS = "365"

const AIM = 20

const sectionOf = (sync: Measured, dlt: Measured): string => {
  const ratio = rate(sync) / rate(dlt)
  const met = ratio >= AIM ? "met" : "missed"
  return `## dlt
Written by \`make bench-dlt\`, once: the same URLs read by [dlt](https://dlthub.com) 1.31 into DuckDB, eight requests at once, one
resource a history, merged by its key (\`bench/dlt/dlt_pipeline.py\`). vaulthouse also validates and archives each response, keeps
versions and checks the rows.

${header(`${VAULTS} vaults × ${DAYS} days`)}
${line("vaulthouse, first sync", sync)}
${line("dlt, first run", dlt)}

vaulthouse loads ${ratio.toFixed(1)} times as many rows a second, in ${(sync.megabytes / dlt.megabytes).toFixed(2)} of the memory. The aim, ${AIM} times, is ${met}.
`
}

const [python = "python3"] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), "vaulthouse-bench-"))
const server = await startChild("scripts/server.ts", VAULTS, DAYS)
try {
  const dataDir = join(folder, "sync")
  // The first one leaves the template of a new warehouse, and compiled modules.
  await runChild("scripts/sync.ts", server.url, join(folder, "before"))
  const sync = await runChild<Measured>("scripts/sync.ts", server.url, dataDir)
  const urlsFile = join(folder, "urls.json")
  await writeFile(urlsFile, JSON.stringify(await urlsOf(dataDir)))
  const { stdout } = await promisify(execFile)(python, [
    join(import.meta.dirname, "dlt_pipeline.py"),
    urlsFile,
    join(folder, "dlt.duckdb"),
  ])
  const dlt = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured
  const section = sectionOf(sync, dlt)
  console.log(section)
  writeSection("dlt", section)
} finally {
  server.process.kill()
  await rm(folder, { recursive: true, force: true })
}
