// Measures the constants of the simulation and writes them to bench/scale/constants.json: `make bench
// ARGS=scale-constants`. Syncs a simulated platform twice, an hour of its history apart, and reads what the runs
// recorded.
import { execFile } from "node:child_process"
import { readdir, stat, writeFile } from "node:fs/promises"
import { cpus } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { DuckDBConnection } from "@duckdb/node-api"
import { tableName } from "../../src/domain/table/table.ts"
import { pipelines } from "../../src/pipelines/pipelines.ts"
import { startSimulator } from "../../simulator/index.ts"
import { readOnly } from "../../test/support/readOnly.ts"
import { constantsFile, type Constants, type PipelineConstants } from "./constants.ts"
import { measureCommits } from "./measureCommits.ts"

const run = promisify(execFile)
const command = join(import.meta.dirname, "../../bin/vaulthouse")
const HOUR = 3_600_000
const world = { vaults: 20, days: 365, subaccounts: 400 }

// The simulator's paths that the API document does not show.
const PATHS = `paths:
  cefiPositions: /subaccount/{address}/cefi_positions
  subaccountLoans: /subaccount/{address}/loans
  subaccountOtcPositions: /subaccount/{address}/otc_positions
`

const TIMED = 'TIMEFORMAT="%U %S %R"; time "$@"'

interface Ran {
  readonly cpuSeconds: number
  readonly seconds: number
}

/** Runs the command in its own process, timed by the shell. */
const timed = async (url: string, dataDir: string, ...names: ReadonlyArray<string>) => {
  const config = `${dataDir}.yaml`
  await writeFile(config, PATHS)
  const { stderr } = await run(
    "bash",
    ["-c", TIMED, "-", command, "sync", ...names, "--base-url", url, "--config", config].concat(
      "--data-dir",
      dataDir,
      "--no-publish",
    ),
    { env: { ...process.env, VAULTHOUSE_API_KEY: "demo-admin-key" }, maxBuffer: 1 << 26 },
  )
  const [user = 0, system = 0, seconds = 0] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number)
  return { cpuSeconds: user + system, seconds } satisfies Ran
}

const perPipeline = `
with responses as (
    select run_id, pipeline, sum(bytes) as bytes
    from raw.responses
    group by all
)
select
    tasks.run_id,
    tasks.pipeline,
    count(distinct tasks.entity)::double as partitions,
    sum(requests)::double as requests,
    sum(rows_inserted + rows_revised)::double as changed_rows,
    sum(rows_inserted + rows_revised + rows_unchanged)::double as rows,
    coalesce(any_value(bytes), 0)::double as bytes
from ops.tasks
left join responses on tasks.run_id = responses.run_id and tasks.pipeline = responses.pipeline
group by tasks.run_id, tasks.pipeline
order by tasks.run_id`

interface PipelineTotals {
  readonly run_id: string
  readonly pipeline: string
  readonly partitions: number
  readonly requests: number
  readonly changed_rows: number
  readonly rows: number
  readonly bytes: number
}

const warehouseIn = (dataDir: string): string => join(dataDir, "vaulthouse.duckdb")

const readRuns = async (dataDir: string) => {
  const found = await readOnly(warehouseIn(dataDir), (connection) =>
    connection.runAndReadAll(perPipeline),
  )
  const rows = found.getRowObjectsJS() as unknown as ReadonlyArray<PipelineTotals>
  return [...Map.groupBy(rows, ({ run_id }) => run_id).values()]
}

const total = (runs: ReadonlyArray<PipelineTotals>, field: "requests" | "rows" | "bytes"): number =>
  runs.reduce((sum, each) => sum + each[field], 0)

/** The bytes of a row of each table in Parquet, written as published tables are. */
const bytesPerRow = async (
  connection: DuckDBConnection,
  folder: string,
): Promise<Readonly<Record<string, number>>> => {
  const found = await connection.runAndReadAll(
    "select schema_name || '.' || table_name from duckdb_tables() where not internal order by all",
  )
  const sizes: Record<string, number> = {}
  for (const [table] of found.getRowsJS()) {
    const file = join(folder, "table.parquet")
    const copied = await connection.runAndReadAll(
      `copy ${String(table)} to '${file}' (format parquet, compression zstd)`,
    )
    const rows = Number(copied.getRowsJS()[0]?.[0])
    if (rows > 0) sizes[String(table)] = rounded((await stat(file)).size / rows)
  }
  return sizes
}

const rounded = (value: number): number => Number(value.toPrecision(3))

interface Work {
  readonly requests: number
  readonly rows: number
  readonly cpuSeconds: number
}

/** CPU seconds per row, from a run with few requests, and per request, from a run with few rows. */
const costOf = (ofRows: Work, ofRequests: Work) => {
  const row = ofRows.cpuSeconds / ofRows.rows
  return { row, request: (ofRequests.cpuSeconds - row * ofRequests.rows) / ofRequests.requests }
}

const folderSize = async (folder: string): Promise<number> => {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

export const measureConstants = async (folder: string): Promise<void> => {
  const dataDir = join(folder, "scale")
  const now = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR
  const simulator = await startSimulator({
    ...world,
    now: new Date(now).toISOString(),
    slowReadMs: 0,
    serverCaches: false,
  })
  const { url } = simulator
  const start = await timed(url, join(folder, "start"), "otc_positions")
  const histories = await timed(url, join(folder, "histories"), "ratio_history", "pnl_history")
  await timed(url, dataDir)
  simulator.patch({ now: new Date(now + HOUR).toISOString() })
  const later = await timed(url, dataDir)
  const commits = await measureCommits(folder, url)
  await simulator.close()

  const [firstRun = [], laterRun = []] = await readRuns(dataDir)
  const [historyRun = []] = await readRuns(join(folder, "histories"))
  const workOf = (ran: Ran, totals: ReadonlyArray<PipelineTotals>): Work => ({
    requests: total(totals, "requests"),
    rows: total(totals, "rows"),
    cpuSeconds: ran.cpuSeconds - start.cpuSeconds,
  })
  const cpu = costOf(workOf(histories, historyRun), workOf(later, laterRun))
  const rowBytes = await readOnly(warehouseIn(dataDir), (connection) =>
    bytesPerRow(connection, folder),
  )
  const bytesOf = (pipeline: string): number => {
    const { tables = [] } = pipelines.find(({ name }) => name === pipeline) ?? {}
    const sizes = tables.flatMap((table) => rowBytes[tableName(table)] ?? [])
    return rounded(sizes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, sizes.length))
  }
  const archived = await folderSize(join(dataDir, "raw"))
  const constants: Constants = {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, Node ${process.version}`,
    world,
    cpuMillisPerRequest: rounded(cpu.request * 1000),
    cpuMillisPerThousandRows: rounded(cpu.row * 1e6),
    archiveRatio: rounded(archived / (total(firstRun, "bytes") + total(laterRun, "bytes"))),
    taskBytes: rowBytes["ops.tasks"] ?? 0,
    responseBytes: rowBytes["raw.responses"] ?? 0,
    pipelines: Object.fromEntries(
      firstRun.map((first): [string, PipelineConstants] => {
        const again = laterRun.find(({ pipeline }) => pipeline === first.pipeline)
        return [
          first.pipeline,
          {
            firstRows: rounded(first.rows / first.requests),
            laterRequests: rounded((again?.requests ?? 0) / first.partitions),
            laterRows: rounded((again?.rows ?? 0) / (again?.requests ?? 1)),
            changedRows: rounded((again?.changed_rows ?? 0) / (again?.requests ?? 1)),
            rowBytes: bytesOf(first.pipeline),
            bodyBytes: rounded((again?.bytes ?? first.bytes) / (again?.requests ?? first.requests)),
          },
        ]
      }),
    ),
    commits,
  }
  await writeFile(constantsFile, `${JSON.stringify(constants, undefined, 2)}\n`)
  console.log(JSON.stringify(constants, undefined, 2))
}
