// A planner and two workers on a lake beside one process with a file, against a service with latency: how long each takes,
// and who sends requests and holds the lake's lock meanwhile. Needs what `make test-lake` installs.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Simulator, startSimulator } from "../../simulator/index.ts"
import { bars } from "../bars.ts"
import type { HeldTurn } from "./lakeTurns.ts"
import { writeSection } from "../section.ts"

const LATENCIES = [60, 150]
const WORKERS = 2
const AIM = 1.5
const COLUMN_MILLIS = 250
// A worker that has started waits for a run.
const START_MILLIS = 5000

const root = join(import.meta.dirname, "../..")
const lake = join(root, "node_modules/.lake")

interface Ran {
  readonly seconds: number
  readonly from: number
  readonly to: number
}

const start = async (
  folder: string,
  args: ReadonlyArray<string>,
  settings: ReadonlyArray<string>,
): Promise<ChildProcess> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "vaulthouse.config.yaml"), `${settings.join("\n")}\n`)
  return spawn(join(root, "bin/vaulthouse"), args, {
    cwd: folder,
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      VAULTHOUSE_API_KEY: "demo-admin-key",
      NODE_OPTIONS: `--import ${join(import.meta.dirname, "lakeTurns.ts")}`,
      TURNS: join(folder, "../turns"),
    },
  })
}

/** Runs it to its end, which has to be a complete run. */
const timed = async (starting: () => Promise<ChildProcess>): Promise<Ran> => {
  const from = Date.now()
  const [code] = (await once(await starting(), "close")) as [number | null]
  if (code !== 0) throw new Error(`a sync ended with ${code}`)
  const to = Date.now()
  return { from, to, seconds: (to - from) / 1000 }
}

/** Requests that arrived in each column. */
const sent = (simulator: Simulator, { from }: Ran): ReadonlyArray<number> => {
  const counts: Array<number> = []
  for (const { at } of simulator.requests().last) {
    const column = Math.floor((Date.parse(at) - from) / COLUMN_MILLIS)
    counts[column] = (counts[column] ?? 0) + 1
  }
  return Array.from(counts, (count) => count ?? 0)
}

/** The share of each column in which the lock was held. */
const held = (turns: ReadonlyArray<HeldTurn>, ran: Ran): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil((ran.to - ran.from) / COLUMN_MILLIS) }, (_, column) => {
    const from = ran.from + column * COLUMN_MILLIS
    const to = from + COLUMN_MILLIS
    const overlap = (turn: HeldTurn) => Math.min(turn.to, to) - Math.max(turn.from, from)
    return turns.reduce((sum, turn) => sum + Math.max(0, overlap(turn)), 0) / COLUMN_MILLIS
  })

interface Compared {
  readonly latency: number
  readonly file: Ran
  readonly shared: Ran
  readonly requests: number
  readonly commits: number
  readonly chart: { readonly sent: ReadonlyArray<number>; readonly held: ReadonlyArray<number> }
}

const inFile = async (baseUrl: string, folder: string): Promise<Ran> =>
  timed(() => start(join(folder, "file"), ["sync", "--no-publish"], [`baseUrl: ${baseUrl}`]))

const compareAt = async (
  latency: number,
  folder: string,
  newCatalog: () => Promise<string>,
): Promise<Compared> => {
  const simulator = await startSimulator({ vaults: 12, days: 240, latencyMs: latency })
  const workers: Array<ChildProcess> = []
  try {
    const file = await inFile(simulator.url, folder)
    const before = simulator.requests().total
    const settings = [
      `baseUrl: ${simulator.url}`,
      `warehouse: "ducklake:${await newCatalog()}"`,
      `lake: { data: ${folder}/lake, extensions: ${lake}/extensions }`,
      `dataDir: ${folder}/data`,
    ]
    for (let at = 0; at < WORKERS; at += 1) {
      workers.push(await start(join(folder, `worker-${at}`), ["worker"], settings))
    }
    await sleep(START_MILLIS)
    const planner = ["sync", "--workers", "--no-publish"]
    const shared = await timed(() => start(join(folder, "planner"), planner, settings))
    for (const worker of workers.splice(0)) {
      worker.kill("SIGTERM")
      await once(worker, "close")
    }
    const lines = (await readFile(join(folder, "turns"), "utf8")).trim().split("\n")
    const turns = lines
      .map((line) => JSON.parse(line) as HeldTurn)
      .filter(({ from, to }) => to > shared.from && from < shared.to)
    return {
      latency,
      file,
      shared,
      requests: simulator.requests().total - before,
      commits: turns.length,
      chart: { sent: sent(simulator, shared), held: held(turns, shared) },
    }
  } finally {
    for (const worker of workers) worker.kill("SIGKILL")
    await simulator.close()
  }
}

const sectionOf = (all: ReadonlyArray<Compared>): string => {
  const lines = all.map(({ latency, file, shared, requests, commits }) => {
    const ratio = shared.seconds / file.seconds
    const shown = ratio > AIM ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2)
    return `| ${latency} ms | ${requests} | ${file.seconds.toFixed(1)} | ${shared.seconds.toFixed(1)} | ${shown} | ${commits} |`
  })
  const charts = all.map(({ latency, chart }) => {
    const most = Math.max(...chart.sent, 1)
    return `${latency} ms  requests  ${bars(chart.sent.map((count) => count / most))}
        lock      ${bars(chart.held)}`
  })
  return `## Workers on a lake
Written by \`make bench ARGS=lake\`, once: 12 vaults × 240 days, all pipelines with a key, from nothing; a planner and ${WORKERS} workers
beside one process with a file, whole commands on the same machine of two cores, without publishing. The aim is ${AIM} times the file's seconds.

| latency | requests | file, seconds | workers, seconds | ratio | turns at the lock |
|---|---:|---:|---:|---:|---:|
${lines.join("\n")}

Requests sent in each quarter of a second of the workers' run, and how much of it somebody held the lake's lock:

\`\`\`
${charts.join("\n\n")}
\`\`\`
`
}

export const benchLake = async (folder: string): Promise<void> => {
  if (!existsSync(lake)) throw new Error("run `make test-lake` first: it installs PostgreSQL")
  process.env["LAKE"] = lake
  const { startPostgres } = await import("../../test/support/servers/postgres.ts")
  const postgres = await startPostgres()
  try {
    const all: Array<Compared> = []
    for (const latency of LATENCIES) {
      all.push(
        await compareAt(latency, join(folder, `lake-${latency}`), async () => {
          await postgres.query(`create database lake_${latency}`)
          return postgres.url(`lake_${latency}`)
        }),
      )
    }
    const section = sectionOf(all)
    console.log(section)
    writeSection("lake", section)
  } finally {
    await postgres.stop()
  }
}
