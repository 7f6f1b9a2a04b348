// What the lake's crash tests run in: a PostgreSQL of their own behind the proxy, a simulated service, and one data directory
// that every try begins with in the same state.
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OptionsPatch, startSimulator } from "../../../simulator/index.ts"
import { bin, environment } from "../../cli/command.ts"
import { startPostgres } from "../../support/postgres.ts"
import { startPostgresProxy } from "./postgresProxy.ts"

/** Where the servers and extensions of `make test-lake` are installed. */
export const installed = process.env["LAKE"] ?? ""

export const extensions = join(installed, "extensions")

/** A vault with hours enough for rows in PostgreSQL and rows in Parquet files, in more than one request. */
const platform: OptionsPatch = {
  slowReadMs: 0,
  vaults: 1,
  days: 50,
  subaccounts: 1,
  now: "2026-06-01T00:00:00Z",
  revision: 0,
  serverCaches: false,
}

/** Six hours later: new points, restated ones. */
const later: OptionsPatch = { now: "2026-06-01T06:00:00Z", revision: 1 }

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

export interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<Ended>
}

/** A command that takes longer hangs. */
const LONGEST_MILLIS = 90_000

const DATABASE = "work"

export const startWorld = async () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-lakecrash-"))
  // A server that is killed must have what it acknowledged.
  const server = await startPostgres(["-c", "max_connections=100", "-c", "fsync=off"])
  const proxy = await startPostgresProxy(() => server.port)
  let simulator = await startSimulator(platform)
  const cwd = join(folder, "now")
  const catalog = (port: number): string => {
    const url = new URL(server.url(DATABASE))
    url.port = String(port)
    return url.href
  }
  const configure = (settings: ReadonlyArray<string> = []): void =>
    writeFileSync(
      join(cwd, "vaulthouse.config.yaml"),
      [
        `baseUrl: ${simulator.url}`,
        `warehouse: "ducklake:${catalog(proxy.port)}"`,
        `lake: { data: ${cwd}/lake, extensions: ${extensions} }`,
        "pipelines: [vaults, ratio_history]",
        `dataDir: ${cwd}/data`,
        "parquet: { enabled: false }",
        "workerLease: 2s",
        ...settings,
      ].join("\n"),
    )

  /** Makes the state `name` the one of now: the database, the data directory, the service. */
  const restore = async (name: "empty" | "synced"): Promise<void> => {
    proxy.arm()
    proxy.dropAll()
    rmSync(cwd, { recursive: true, force: true })
    await server.query(`drop database if exists ${DATABASE} with (force)`)
    if (name === "empty") {
      mkdirSync(cwd, { recursive: true })
      await server.query(`create database ${DATABASE}`)
    } else {
      cpSync(join(folder, name), cwd, { recursive: true })
      await server.query(`create database ${DATABASE} template ${name}`)
    }
    configure()
  }

  const start = (args: ReadonlyArray<string>): Running => {
    const child = spawn(bin, args, {
      cwd,
      env: {
        ...environment,
        NODE_COMPILE_CACHE: join(import.meta.dirname, "../../../node_modules/.cache/compiled"),
      },
      timeout: LONGEST_MILLIS,
      killSignal: "SIGKILL",
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    }
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code, signal) => resolve({ code, signal, output })),
    )
    return { child, output: () => output, ended }
  }

  const run = (...args: ReadonlyArray<string>): Promise<Ended> => start(args).ended

  /** Keeps the state of now as `name`. */
  const keep = async (name: "synced"): Promise<void> => {
    proxy.dropAll()
    await server.query(`drop database if exists ${name} with (force)`)
    await server.query(`create database ${name} template ${DATABASE}`)
    rmSync(join(folder, name), { recursive: true, force: true })
    cpSync(cwd, join(folder, name), { recursive: true })
  }

  return {
    cwd,
    proxy,
    server,
    start,
    run,
    restore,
    keep,
    configure,
    /** Of the database itself, past the proxy. */
    catalog: catalog(server.port),
    service: {
      requests: () => simulator.requests().total,
      moveOn: () => simulator.patch(later),
      moveBack: async () => {
        const { port } = new URL(simulator.url)
        await simulator.close()
        simulator = await startSimulator(platform, { port: Number(port) })
      },
    },
    close: async () => {
      await proxy.close()
      await simulator.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
