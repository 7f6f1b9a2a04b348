// A lake with workers and planners as processes, compared with a file that one process filled from the same service.
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { Client } from "pg"
import { start } from "../../cli/command.ts"
import { objectStoreVariables } from "../../support/servers/objectStore.ts"
import { extensions, newCatalog } from "../lake.ts"

const key = { VAULTHOUSE_API_KEY: "demo-admin-key" }

export interface Process {
  readonly child: ChildProcess
  /** Of both streams, so far. */
  readonly output: () => string
  readonly ended: Promise<number | null>
}

const followed = (child: ReturnType<typeof start>): Process => {
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  const ended = once(child, "close").then(([code]) => code as number | null)
  return { child, output: () => output, ended }
}

export interface LakeOptions {
  readonly baseUrl: string
  /** Seconds. */
  readonly lease?: number
  /** `s3://…`, of the object store that the tests share. */
  readonly archive?: string
}

/** Everything ends with `close`. */
export const sharedLake = async ({ baseUrl, lease = 10, archive }: LakeOptions) => {
  const folder = await mkdtemp(join(tmpdir(), "vaulthouse-lake-"))
  const catalog = await newCatalog()
  const client = new Client({ connectionString: catalog })
  await client.connect()
  const running: Array<Process> = []

  const run = async (
    args: ReadonlyArray<string>,
    settings: ReadonlyArray<string> = [],
    keyVariable: Readonly<Record<string, string>> = key,
  ) => {
    const cwd = join(folder, String(running.length))
    await mkdir(cwd)
    const lines = [
      `baseUrl: ${baseUrl}`,
      `warehouse: ducklake:${catalog}`,
      `lake: { data: ${folder}/lake, extensions: ${extensions} }`,
      `workerLease: ${lease}s`,
      `dataDir: ${folder}/data`,
      ...(archive === undefined ? [] : [`archive: ${archive}`]),
      ...settings,
    ]
    const env = archive === undefined ? keyVariable : { ...keyVariable, ...objectStoreVariables() }
    await writeFile(join(cwd, "vaulthouse.config.yaml"), `${lines.join("\n")}\n`)
    const process = followed(start(args, { cwd, env }))
    running.push(process)
    return process
  }
  const work = async (sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } catch (cause) {
      // Nobody has made its tables yet.
      if ((cause as { readonly code?: string }).code === "42P01") return []
      throw cause
    }
  }
  return {
    folder,
    catalog,
    /** Of the processes' schema `vaulthouse_work`. */
    work,
    /** Any command, with more settings, and another variable for the key. */
    run,
    worker: (settings?: ReadonlyArray<string>) => run(["worker"], settings),
    planner: (...args: ReadonlyArray<string>) =>
      run(["sync", "--workers", "--no-publish", ...args]),
    /** How many tasks of the run are done. */
    done: async () =>
      Number(
        (await work("select count(*) as n from vaulthouse_work.claims where is_done"))[0]?.["n"] ??
          0,
      ),
    close: async () => {
      for (const { child, ended } of running) {
        child.kill("SIGKILL")
        await ended
      }
      await client.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type SharedLake = Awaited<ReturnType<typeof sharedLake>>

// What differs between any two runs, and what the simulator's clock decides.
const ofRun = /^(_.*|valid_from|valid_to|run_id|calculated_at|reported_at|health_factor_id)$/

interface Column {
  readonly table_name: string
  readonly columns: ReadonlyArray<string>
}

/** Tables of `core` and cursors in which a file and the lake differ, rows compared one by one; empty where none does. */
export const differences = async (file: string, { catalog, folder }: SharedLake) => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    for (const name of ["postgres_scanner", "ducklake"]) {
      await connection.run(`LOAD '${extensions}/${name}.duckdb_extension'`)
    }
    const { hostname, port, username, password, pathname } = new URL(catalog)
    await connection.run(
      `CREATE SECRET (TYPE postgres, HOST '${hostname}', PORT ${port}, USER '${username}',
         PASSWORD '${decodeURIComponent(password)}', DATABASE '${pathname.slice(1)}')`,
    )
    await connection.run(
      `ATTACH 'ducklake:postgres:' AS lake (DATA_PATH '${folder}/lake/', METADATA_SCHEMA 'vaulthouse_lake')`,
    )
    await connection.run(`ATTACH '${file}' AS file (READ_ONLY)`)
    const tables = await connection.runAndReadAll(
      `SELECT table_name, list(column_name) AS columns FROM duckdb_columns()
       WHERE database_name = 'file' AND schema_name = 'core' GROUP BY table_name ORDER BY table_name`,
    )
    const found: Array<string> = []
    const compare = async (table: string, columns: string) => {
      const of = (one: string, other: string) =>
        `SELECT ${columns} FROM ${one}.${table} EXCEPT ALL SELECT ${columns} FROM ${other}.${table}`
      const [[differing] = []] = (
        await connection.runAndReadAll(
          `SELECT count(*)::INTEGER FROM ((${of("file", "lake")}) UNION ALL (${of("lake", "file")}))`,
        )
      ).getRows()
      if (differing !== 0) found.push(`${table}: ${String(differing)} rows`)
    }
    for (const { table_name, columns } of tables.getRowObjectsJson() as unknown as Array<Column>) {
      const compared = columns.filter((name) => !ofRun.test(name)).map((name) => `"${name}"`)
      await compare(`core."${table_name}"`, compared.join(", "))
    }
    // A cursor may say when its run was, or when it saw that a response was whole.
    const timeless = `regexp_replace(cursor::VARCHAR, '"(lastFullScan|at)":("[^"]*"|[0-9]+)', '', 'g')`
    await compare("ops.cursors", `pipeline, entity, ${timeless}`)
    await compare("ops.gaps", "pipeline, entity, from_at, to_at, state")
    await compare("ops.tasks", "DISTINCT pipeline, entity")
    // Of the one run, whoever read its tasks, and however often.
    await compare("ops.runs", "rows_inserted")
    return found
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
