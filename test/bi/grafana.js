// Checks the dashboards against Grafana's own types, and runs every query of deploy/bi/grafana, its macros put in as
// Grafana does, over a published copy. node grafana.js INSTALLED PUBLISHED SCRATCH
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

const [installed, published, scratch] = process.argv.slice(2)
const require = createRequire(join(installed, "package.json"))
const { DuckDBInstance } = require("@duckdb/node-api")

const files = ["deploy/grafana/vaulthouse.json", "deploy/bi/grafana/vaults.json"]
const typed = files.map((file, at) => {
  const text = readFileSync(file, "utf8").replaceAll(
    '"mode": "absolute"',
    '"mode": ThresholdsMode.Absolute',
  )
  return `export const dashboard${at}: Dashboard = ${text}`
})
writeFileSync(
  join(scratch, "dashboards.ts"),
  ['import { type Dashboard, ThresholdsMode } from "@grafana/schema"', ...typed].join("\n"),
)
symlinkSync(resolve(installed, "node_modules"), join(scratch, "node_modules"))
execFileSync(
  "tsc",
  "--noEmit --strict --skipLibCheck --ignoreConfig --module nodenext dashboards.ts".split(" "),
  { cwd: scratch, stdio: "inherit" },
)
process.stdout.write(`${files.length} dashboards are what @grafana/schema describes\n`)

const instance = await DuckDBInstance.create(published, { access_mode: "READ_ONLY" })
const connection = await instance.connect()
const run = async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson()

const { panels, templating } = JSON.parse(readFileSync(files[1], "utf8"))
const { query: ofVaults } = templating.list.find(({ name }) => name === "vault")
const vaults = await run(ofVaults)
assert.deepEqual(Object.keys(vaults[0]), ["__text", "__value"])
const all = vaults.map((row) => `'${String(row.__value)}'`).join(",")
const complete = (sql) =>
  sql
    .replaceAll("$vault", all)
    .replaceAll(
      /\$__timeFilter\(([^)]*)\)/g,
      "$1 BETWEEN '2026-03-01T00:00:00Z' AND '2026-06-02T13:00:00Z'",
    )

for (const { title, type, targets } of panels) {
  for (const { format, rawSql } of targets) {
    const rows = await run(complete(rawSql))
    const columns = Object.keys(rows[0] ?? {})
    assert.ok(rows.length > 0, `${title} shows nothing`)
    assert.equal(format, type === "timeseries" ? "time_series" : "table", title)
    if (format === "time_series") assert.ok(columns.includes("time"), `${title} has no time`)
    process.stdout.write(`${title}: ${rows.length} rows of ${columns.join(", ")}\n`)
  }
}
