// The warehouse as a lake that several machines write: DuckLake's catalog in PostgreSQL, Parquet files in a folder or
// in object storage. Write transactions take turns by a lock of the catalog's database (docs/lake.md).
import { mkdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { userInfo } from "node:os"
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Redacted from "effect/Redacted"
import type { PostgresTarget } from "../../domain/postgresUrl.ts"
import { isInObjectStore, type ObjectStoreAccess } from "../../domain/objectStore.ts"
import { openConnections } from "../database.ts"
import { LoadError } from "../errors.ts"
import { CATALOG, literal } from "../sql.ts"
import { Catalog, METADATA_SCHEMA } from "./Catalog.ts"
import { readRows } from "../readRows.ts"
import { copyLake } from "./copyLake.ts"
import { extensionsFor, loadExtensions } from "./extensions.ts"
import { makeObjectStoreSecret } from "./objectStoreSecret.ts"
import type { Storage } from "./Storage.ts"

export interface LakeOptions {
  /** The database of the catalog. */
  readonly catalog: PostgresTarget
  /** Folder or `s3://bucket/prefix` of the Parquet files; may be left out of a lake that exists. */
  readonly data: string | undefined
  /** Folder of DuckDB's extensions; `undefined`: installed from DuckDB's repository. */
  readonly extensions: string | undefined
  /** Used where the files are in object storage. Throws where the environment says no such thing. */
  readonly objectStore: () => ObjectStoreAccess
}

export const ducklake = (lake: LakeOptions): Storage => ({
  shown: `ducklake:${lake.catalog.shown}`,
  exists: async () => {
    const catalog = await Catalog.open(lake.catalog, "exists")
    try {
      return (await catalog.dataPath()) !== undefined
    } finally {
      await catalog.close()
    }
  },
  open: async (options, tables) => {
    const catalog = await Catalog.open(lake.catalog, options.runId)
    // Of this process alone: DuckDB names its files in there by a number.
    const spill = join(options.dataDir, "tmp", String(process.pid))
    try {
      const connections = await openConnections(options, spill, (writer) =>
        attachLake(writer, lake, catalog),
      )
      const { reader, writer } = connections
      return {
        writer,
        reader,
        exclusively: (work) => catalog.exclusively(work),
        clockAhead: () => catalog.clockAhead,
        accepts: (statement) => !NOT_KEPT.test(statement),
        isRunning: (runId) => catalog.isRunning(runId),
        // Maintenance is a command of its own.
        checkpoint: async () => undefined,
        // A layout changes by a snapshot like any other, which leaves the ones before it.
        keepCopy: async () => undefined,
        makeCopy: async (copying) => {
          // What this process committed last, whatever others commit meanwhile.
          const [newest] = await readRows(
            writer,
            `SELECT id FROM ${CATALOG}.last_committed_snapshot()`,
          )
          const at = `READ_ONLY, SNAPSHOT_VERSION ${String(newest?.["id"])}`
          const attach = (connection: DuckDBConnection, name: string) =>
            attachLake(connection, lake, catalog, name, at)
          return copyLake({ options, spill, tables, attach }, copying)
        },
        close: async () => {
          connections.close()
          await catalog.close()
          await rm(spill, { recursive: true, force: true })
        },
      }
    } catch (cause) {
      await catalog.close()
      throw cause
    }
  },
})

const NOT_KEPT = /^COMMENT ON (MACRO|COLUMN (mart|meta)\.)/

// What a commit adds to a table stays in PostgreSQL up to this many rows; `vaulthouse maintain` writes it to Parquet. With
// DuckLake's own limit of 10 a first sync of 50 vaults left 113 files, and each run without news another seven; now 23
// and none, in the same time.
const INLINED_ROWS = 1000

const attachLake = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  catalog: Catalog,
  name = CATALOG,
  options = "READ_WRITE",
): Promise<void> => {
  const stored = await catalog.dataPath()
  const data = dataOf(lake, stored)
  await loadExtensions(connection, extensionsFor(data), lake.extensions)
  if (isInObjectStore(data)) await makeObjectStoreSecret(connection, lake.objectStore())
  else mkdirSync(data, { recursive: true, mode: 0o700 })
  const { password } = lake.catalog
  // Apart from the connection string, which DuckDB's messages show.
  if (password !== undefined) {
    await connection.run(
      `CREATE SECRET (TYPE postgres, PASSWORD ${literal(Redacted.value(password))})`,
    )
  }
  const attach = async (): Promise<void> => {
    await connection.run(
      `ATTACH ${literal(`ducklake:postgres:${conninfo(lake.catalog)}`)} AS ${name}
       (DATA_PATH ${literal(data)}, METADATA_SCHEMA ${literal(METADATA_SCHEMA)}, DATA_INLINING_ROW_LIMIT ${INLINED_ROWS}, ${options})`,
    )
  }
  // The first to attach it makes it: one process alone.
  await (stored === undefined ? catalog.creating(attach) : attach())
  await catalog.readClock()
}

const withSlash = (folder: string): string => (folder.endsWith("/") ? folder : `${folder}/`)

const dataOf = ({ catalog, data }: LakeOptions, stored: string | undefined): string => {
  if (data === undefined && stored === undefined) {
    throw new LoadError({
      reason: "Files",
      what: `The lake ${catalog.shown} can't be made`,
      why: "lake.data is not set, so there is nowhere to put its Parquet files",
      advice:
        "Set it to a folder that every machine has at the same path, or to s3://bucket/prefix.",
    })
  }
  if (data !== undefined && stored !== undefined && withSlash(data) !== withSlash(stored)) {
    throw new LoadError({
      reason: "Files",
      what: `The lake ${catalog.shown} can't be opened`,
      why: `its Parquet files are in ${stored}, and lake.data is ${data}`,
      advice: "Set lake.data to where they are, or leave it out.",
    })
  }
  return stored ?? data ?? ""
}

/** For libpq: what stands in it may be shown in messages. */
const conninfo = (target: PostgresTarget): string => {
  const { host, port, database, user, passwordFile, sslMode } = target
  const { rootCertificate, certificate, key, connectTimeoutSeconds, applicationName } = target
  const parts: Readonly<Record<string, string | number | undefined>> = {
    host,
    port,
    dbname: database,
    user: user ?? userInfo().username,
    passfile: passwordFile,
    sslmode: sslMode,
    sslrootcert: rootCertificate,
    sslcert: certificate,
    sslkey: key,
    connect_timeout: connectTimeoutSeconds,
    application_name: applicationName,
  }
  return Object.entries(parts)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`${name}='${String(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`],
    )
    .join(" ")
}
