// Publishes the example warehouse to PostgreSQL and reads it by ODBC: psqlODBC through unixODBC's isql. Compares every
// mart's rows, and the figures of one, with the published copy.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeExampleWarehouse } from "../../demo/exampleWarehouse.ts"
import { startPostgres } from "../support/servers/postgres.ts"

const folder = mkdtempSync(join(tmpdir(), "vaulthouse-odbc-"))
const server = await startPostgres()

const run = (command: string, args: ReadonlyArray<string>, input = ""): string =>
  execFileSync(command, args, {
    cwd: folder,
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: process.env["PATH"], HOME: folder, ODBCINI: join(folder, "odbc.ini") },
  })

/** Lines of values separated by `|`, nulls empty. */
const byOdbc = (sql: string): ReadonlyArray<string> =>
  run("isql", ["vaulthouse", "-b", "-d|"], `${sql}\n`).trim().split("\n")

const vaulthouse = join(import.meta.dirname, "../../bin/vaulthouse")

const fromCopy = (sql: string): ReadonlyArray<string> =>
  (
    JSON.parse(
      run(vaulthouse, ["query", "--format", "json", "--max-rows", "1000000", sql]),
    ) as ReadonlyArray<Record<string, unknown>>
  ).map((row) =>
    Object.values(row)
      .map((value) => String(value ?? ""))
      .join("|"),
  )

try {
  const example = await makeExampleWarehouse(folder)
  await example.close()
  writeFileSync(
    join(folder, "vaulthouse.config.yaml"),
    `dataDir: ./data\npublish:\n  postgres: ${server.url()}\n  postgresRole: analysts\n`,
  )
  run(vaulthouse, ["publish"])
  await server.query("create role reader login password 'reader'")
  await server.query("grant analysts to reader")
  writeFileSync(
    join(folder, "odbc.ini"),
    [
      "[vaulthouse]",
      "Driver = PostgreSQL Unicode",
      "Servername = 127.0.0.1",
      `Port = ${server.port}`,
      "Database = postgres",
      "Username = reader",
      "Password = reader",
      "ReadOnly = Yes",
    ].join("\n"),
  )
  const marts = byOdbc(
    "select table_name from information_schema.views where table_schema = 'mart'",
  )
  if (marts.length < 30) throw new Error(`ODBC shows ${marts.length} marts`)
  const counts = marts.map((name) => `select '${name}' as name, count(*) as n from mart.${name}`)
  const comparisons = [
    `${counts.join(" union all ")} order by 1`,
    `select vault_address, cast(day as varchar) as day, cast(floor(backing * 100) as bigint) as backing,
       case when collateral_ratio_close is null then 1 else 0 end as is_missing
     from mart.vault_daily order by 1, 2`,
    "select table_name, column_name, substring(description, 1, 200) as text from meta.columns order by 1, 2",
  ]
  for (const sql of comparisons) {
    const line = sql.replaceAll(/\s+/g, " ")
    const [odbc, copy] = [byOdbc(line), fromCopy(line)]
    const wrong = copy.findIndex((row, at) => row !== odbc[at])
    if (odbc.length !== copy.length || wrong >= 0) {
      throw new Error(`${odbc.length} rows, not ${copy.length}: ${odbc[wrong]}, not ${copy[wrong]}`)
    }
    process.stdout.write(`${odbc.length} rows by ODBC as in the published copy\n`)
  }
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
