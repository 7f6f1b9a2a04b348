// Checks the dashboards against Grafana's own types, and runs every query of deploy/bi/grafana, its macros put in as
// Grafana does, on a real PostgreSQL that was published to; the published copy must give the same.
// POSTGRES=FOLDER node grafana.ts INSTALLED DATA SCRATCH
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { startPostgres } from "../support/servers/postgres.ts"

const [installed = "", data = "", scratch = ""] = process.argv.slice(2)
const files = {
  runs: "deploy/grafana/vaulthouse.json",
  vaults: "deploy/bi/grafana/vaults.json",
}

interface Dashboard {
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; query: string }> }
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly type: string
    readonly targets: ReadonlyArray<{ readonly format: string; readonly rawSql: string }>
  }>
}
type Row = Readonly<Record<string, unknown>>

const folder = join(scratch, "grafana")
mkdirSync(folder)
const typed = Object.entries(files).map(([name, file]) => {
  const text = readFileSync(file, "utf8")
  return `export const ${name}: Dashboard = ${text.replaceAll('"mode": "absolute"', '"mode": ThresholdsMode.Absolute')}`
})
writeFileSync(
  join(folder, "dashboards.ts"),
  ['import { type Dashboard, ThresholdsMode } from "@grafana/schema"', ...typed].join("\n"),
)
symlinkSync(resolve(installed, "node_modules"), join(folder, "node_modules"))
execFileSync(
  "tsc",
  "--noEmit --strict --skipLibCheck --ignoreConfig --module nodenext dashboards.ts".split(" "),
  { cwd: folder, stdio: "inherit" },
)

const { panels, templating } = JSON.parse(readFileSync(files.vaults, "utf8")) as Dashboard
const ofVaults = templating.list.find(({ name }) => name === "vault")?.query ?? ""

/** Whatever the database calls a type; ages count to the query in one, to the publication in the other. */
const comparable = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows.map((row) =>
    JSON.stringify(
      Object.entries(row)
        .filter(([name]) => !name.startsWith("age_"))
        .map(([, value]) => {
          if (value instanceof Date) return value.toISOString().slice(0, 19)
          const text = String(value)
          if (/^\d{4}-\d\d-\d\d/.test(text)) {
            return text.replace(" ", "T").padEnd(19, "T00:00:00").slice(0, 19)
          }
          return Number.isNaN(Number(text)) ? text : Number(text).toPrecision(9)
        }),
    ),
  )

const server = await startPostgres(["-c", "timezone=America/New_York"])
try {
  cpSync(data, join(folder, "data"), { recursive: true, verbatimSymlinks: true })
  writeFileSync(
    join(folder, "vaulthouse.config.yaml"),
    `publish: { postgres: "${server.url()}" }\n`,
  )
  execFileSync(resolve("bin/vaulthouse"), ["publish", "--all"], { cwd: folder, stdio: "inherit" })
  const instance = await DuckDBInstance.create(join(folder, "data/published/vaulthouse.duckdb"), {
    access_mode: "READ_ONLY",
  })
  const connection = await instance.connect()

  const vaults = await server.query(ofVaults)
  const all = vaults.map((row) => `'${String(row["__value"])}'`).join(",")
  for (const { title, type, targets } of panels) {
    for (const { format, rawSql } of targets) {
      const sql = rawSql
        .replaceAll("$vault", all)
        .replaceAll(
          /\$__timeFilter\(([^)]*)\)/g,
          "$1 BETWEEN '2026-03-01T00:00:00Z' AND '2026-06-02T13:00:00Z'",
        )
      const rows = await server.query(sql)
      const columns = Object.keys(rows[0] ?? {})
      assert.ok(rows.length > 0, `${title} shows nothing`)
      assert.equal(format, type === "timeseries" ? "time_series" : "table", title)
      if (format === "time_series") assert.ok(columns.includes("time"), `${title} has no time`)
      const copy = (await connection.runAndReadAll(sql)).getRowObjectsJson()
      assert.deepEqual(comparable(rows).toSorted(), comparable(copy).toSorted(), title)
      process.stdout.write(`${title}: ${rows.length} rows of ${columns.join(", ")}\n`)
    }
  }
} finally {
  await server.stop()
}
