// A warehouse of 50 vaults and five years of hourly history, published: a run of all pipelines against the simulator,
// whose last weeks are repeated by SQL.
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { DuckDBInstance } from "@duckdb/node-api"
import { startChild } from "../child.ts"

const run = promisify(execFile)
const command = join(import.meta.dirname, "../../bin/vaulthouse")

/** Runs SQL on a data directory's warehouse, which no other process may have open. */
export const runSql = async (dataDir: string, sql: string): Promise<void> => {
  const instance = await DuckDBInstance.create(join(dataDir, "vaulthouse.duckdb"))
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    await connection.run(sql)
    await connection.run("CHECKPOINT")
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Publishes without Parquet, with the command in its own process; `settings` are lines of its configuration. */
export const publishAgain = async (dataDir: string, settings = ""): Promise<void> => {
  const config = join(dataDir, "bench.config.yaml")
  await writeFile(config, `parquet: { enabled: false }\n${settings}`)
  await run(command, ["publish", "--data-dir", dataDir, "--config", config])
}

/** Syncs all pipelines of a simulator of 50 vaults into `dataDir`. */
export const syncAll = async (dataDir: string, days: number): Promise<void> => {
  const server = await startChild("scripts/server.ts", "50", `${days}`)
  try {
    await run(command, ["sync", "--no-publish", "--base-url", server.url, "--data-dir", dataDir], {
      env: { ...process.env, VAULTHOUSE_API_KEY: "demo-admin-key" },
      maxBuffer: 1 << 26,
    })
  } finally {
    server.process.kill()
  }
}

export const makeLongWarehouse = async (dataDir: string): Promise<void> => {
  await syncAll(dataDir, 60)
  await runSql(dataDir, await readFile(join(import.meta.dirname, "manyYears.sql"), "utf8"))
  await publishAgain(dataDir)
}
