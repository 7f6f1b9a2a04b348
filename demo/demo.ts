// The whole of vaulthouse on this machine in a minute: a simulated service, the real commands against it over
// HTTP, what landed, what a day later has revised, and one chart of it. Everything goes below demo/data.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { join, relative } from "node:path"
import { text } from "node:stream/consumers"
import { chart, chartQuestion } from "./chart.ts"

const command = join(import.meta.dirname, "../bin/vaulthouse")
const dataDir = relative(process.cwd(), join(import.meta.dirname, "data"))

const MILLIS_PER_DAY = 86_400_000

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

// The simulator's admin key has access to everything.
const env = { ...process.env, VAULTHOUSE_API_KEY: "demo-admin-key" }

const start = (args: ReadonlyArray<string>, stdout: "inherit" | "pipe"): ChildProcess =>
  spawn(command, args, { stdio: ["ignore", stdout, "inherit"], env })

/** Runs a command as a user sees it; a failure ends the demo. */
const show = async (...args: ReadonlyArray<string>): Promise<void> => {
  print(`\n$ npx vaulthouse ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}`)
  const [code] = (await once(start(args, "inherit"), "exit")) as [number | null]
  if (code !== 0) throw new Error(`vaulthouse ${args[0] ?? ""} ended with ${String(code)}`)
}

const query = async (sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const child = start(["query", sql, "--format", "json", "--data-dir", dataDir], "pipe")
  if (child.stdout === null) throw new Error("no output to read")
  return JSON.parse(await text(child.stdout)) as ReadonlyArray<Record<string, unknown>>
}

/** The base address the simulator prints once it listens. */
const listening = async (simulator: ChildProcess): Promise<string> => {
  if (simulator.stdout === null) throw new Error("no output to read")
  let printed = ""
  for await (const chunk of simulator.stdout) {
    printed += String(chunk)
    const url = /Base URL: (\S+)/.exec(printed)?.[1]
    if (url !== undefined) return url
  }
  throw new Error("the simulator did not start")
}

await rm(dataDir, { recursive: true, force: true })
print(
  "Starting a simulated service, as it was yesterday: 12 vaults with a year of hourly history …",
)
const yesterday = new Date(Date.now() - MILLIS_PER_DAY).toISOString()
const simulator = start(
  ["simulate", "--port", "0", "--vaults", "12", "--days", "365", "--now", yesterday],
  "pipe",
)
try {
  const url = await listening(simulator)
  const sync = ["sync", "--base-url", url, "--data-dir", dataDir, "--log-format", "pretty"]
  await show(...sync)
  const between = new Date().toISOString()
  print("\nA day goes by at the service: new points, and some of the last days are revised.")
  const revised = { now: new Date().toISOString(), revision: 1 }
  await fetch(`${url}/_simulator/options`, { method: "PATCH", body: JSON.stringify(revised) })
  await show(...sync)
  await show("diff", "last", "--data-dir", dataDir)
  await show("status", "--data-dir", dataDir)
  const drawn = chart(await query(chartQuestion), process.stdout.columns)
  if (drawn !== undefined) print(`\n${drawn}`)
  print(`
Another sync finds nothing new and takes about a second. Now look at it in a browser, or try:

  npx vaulthouse serve --data-dir ${dataDir}   # then open http://127.0.0.1:8484
  npx vaulthouse query --data-dir ${dataDir} \\
    "select vault_name, collateral_ratio, apy_smoothed from mart.vault_latest"
  npx vaulthouse query --data-dir ${dataDir} --as-of ${between} \\
    "select vault_name, ratio_at, collateral_ratio from mart.vault_latest"
  npx vaulthouse diff last --table mart.vault_performance --data-dir ${dataDir}
  npx vaulthouse tables mart.vault_daily
  npx vaulthouse query --data-dir ${dataDir}   # a shell; end statements with ;

The database is ${dataDir}/published/vaulthouse.duckdb,
the Parquet files are in ${dataDir}/parquet.`)
} finally {
  simulator.kill("SIGTERM")
}
