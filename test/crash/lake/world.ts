// What the lake's crash tests run in: a PostgreSQL of their own behind the proxy, a simulated service, and one data directory
// that every try begins with in the same state.
import { type ChildProcess, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OptionsPatch, startSimulator } from "../../../simulator/index.ts"
import { bin, environment } from "../../cli/command.ts"
import { startPostgres } from "../../support/servers/postgres.ts"
import { newPrefix, objectVariables, startObjectStore } from "../../support/servers/objectStore.ts"
import { startObjectProxy } from "./objectProxy.ts"
import { startPostgresProxy } from "./postgresProxy.ts"

/** Where the servers and extensions of `make test-lake` are installed. */
export const installed = process.env["LAKE"] ?? ""

export const extensions = join(installed, "extensions")

/** Hours enough for rows in PostgreSQL and rows in Parquet files, in more than one request. */
const platform: OptionsPatch = {
  slowReadMs: 0,
  vaults: 2,
  days: 45,
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
  /** What it wrote to standard error. */
  readonly complaints: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** A command that takes longer hangs: one may meet several restarts of the server, on a machine that has much else to do. */
const LONGEST_MILLIS = 600_000

const DATABASE = "work"

/** Where rows and responses are. */
export interface Place {
  readonly warehouse?: "file"
  /** Of the lake's Parquet files. */
  readonly data: string
  /** Default: in the data directory. */
  readonly archive?: string
}

export const startWorld = async () => {
  const folder = mkdtempSync(join(tmpdir(), "vaulthouse-lakecrash-"))
  // A server that is stopped at once must have what it acknowledged.
  const server = await startPostgres(["-c", "max_connections=100", "-c", "fsync=on"])
  const proxy = await startPostgresProxy(() => server.port)
  const otherProxy = await startPostgresProxy(() => server.port)
  const store = await startObjectStore(installed)
  const objects = await startObjectProxy(store.port)
  const otherObjects = await startObjectProxy(store.port)
  let simulator = await startSimulator(platform)
  const cwd = join(folder, "now")
  const inFolder: Place = { data: `${cwd}/lake` }
  const running = new Set<ChildProcess>()
  let started = 0
  const catalog = (port: number): string => {
    const url = new URL(server.url(DATABASE))
    url.port = String(port)
    return url.href
  }
  /** `place`: where files of the lake and the archive are; `port`: of PostgreSQL. */
  const configure = (place: Place, port: number): ReadonlyArray<string> => [
    `baseUrl: ${simulator.url}`,
    ...(place.warehouse === "file" ? [] : [`warehouse: "ducklake:${catalog(port)}"`]),
    `lake: { data: "${place.data}", extensions: "${extensions}" }`,
    ...(place.archive === undefined ? [] : [`archive: "${place.archive}"`]),
    "pipelines: [vaults, ratio_history]",
    `dataDir: ${cwd}/data`,
    "parquet: { enabled: false }",
    "workerLease: 20s",
  ]

  /** Makes the state `name` the one of now: the database, the data directory, the service. */
  const restore = async (name: string): Promise<void> => {
    for (const each of [proxy, otherProxy]) {
      each.arm()
      each.dropAll()
    }
    for (const each of [objects, otherObjects]) each.arm()
    rmSync(cwd, { recursive: true, force: true })
    await server.query(`drop database if exists ${DATABASE} with (force)`)
    if (name === "empty") {
      mkdirSync(cwd, { recursive: true })
      await server.query(`create database ${DATABASE}`)
    } else {
      cpSync(join(folder, name), cwd, { recursive: true })
      await server.query(`create database ${DATABASE} template ${name}`)
    }
  }

  /** `port`: of PostgreSQL; `storePort`: of the object store. */
  const start = (
    args: ReadonlyArray<string>,
    place = inFolder,
    port = proxy.port,
    storePort = objects.port,
  ): Running => {
    started += 1
    const folderOfOne = join(cwd, String(started))
    mkdirSync(folderOfOne, { recursive: true })
    writeFileSync(join(folderOfOne, "vaulthouse.config.yaml"), configure(place, port).join("\n"))
    const child = spawn(bin, args, {
      cwd: folderOfOne,
      env: {
        ...environment,
        ...objectVariables(storePort),
        NODE_COMPILE_CACHE: join(import.meta.dirname, "../../../node_modules/.cache/compiled"),
      },
      timeout: LONGEST_MILLIS,
      killSignal: "SIGKILL",
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    let complaints = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code, signal) => resolve({ code, signal, output, complaints })),
    )
    running.add(child)
    child.once("close", () => running.delete(child))
    return { child, ended }
  }

  const run = (args: ReadonlyArray<string>, place = inFolder): Promise<Ended> =>
    start(args, place).ended

  /** Keeps the state of now as `name`. */
  const keep = async (name: string): Promise<void> => {
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
    otherProxy,
    objects,
    otherObjects,
    store,
    inFolder,
    /** Another prefix of the object store. */
    inObjects: (): Place => {
      const prefix = newPrefix()
      return { data: `${prefix}/lake`, archive: `${prefix}/raw` }
    },
    address: () => `ducklake:${catalog(proxy.port)}`,
    /** Of the database itself, past the proxy. */
    catalog: catalog(server.port),
    hasLake: async (): Promise<boolean> => {
      const [lake] = await server.query(
        "select to_regclass('vaulthouse_lake.ducklake_metadata') is not null as found",
        DATABASE,
      )
      return lake?.["found"] === true
    },
    service: {
      requests: () => simulator.requests().total,
      moveOn: () => simulator.patch(later),
      moveBack: async (vaults = 1) => {
        const { port } = new URL(simulator.url)
        await simulator.close()
        simulator = await startSimulator({ ...platform, vaults }, { port: Number(port) })
      },
    },
    close: async () => {
      for (const child of running) child.kill("SIGKILL")
      await proxy.close()
      await otherProxy.close()
      await objects.close()
      await otherObjects.close()
      await store.stop()
      await simulator.close()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
