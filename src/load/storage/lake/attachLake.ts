// Attaches a lake to a DuckDB, with its extensions and the access to its catalog and files; reports what is wrong with
// them.
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Redacted from "effect/Redacted"
import type { PostgresTarget } from "../../../domain/stores/postgresUrl.ts"
import { isInObjectStore, type ObjectStoreAccess } from "../../../domain/stores/objectStore.ts"
import { LoadError } from "../../errors.ts"
import { CATALOG, literal } from "../../sql/sql.ts"
import type { Catalog } from "./Catalog.ts"
import { METADATA_SCHEMA } from "./metadata.ts"
import { extensionsFor, loadExtensions } from "./extensions.ts"
import { userOf } from "../../postgres/connect.ts"
import { objectStoreProblem } from "../../duckdb/objectStoreProblem.ts"
import { reachObjectStore } from "./reachObjectStore.ts"
import { readRows } from "../../duckdb/readRows.ts"
import { causeMessage } from "../../../domain/values/causeMessage.ts"
import { makeFolder } from "../../../domain/flush.ts"

export interface LakeOptions {
  /** The database of the catalog. */
  readonly catalog: PostgresTarget
  /** Folder or `s3://bucket/prefix` of the Parquet files; may be omitted if the lake exists. */
  readonly data: string | undefined
  /** Folder of DuckDB's extensions; `undefined`: installed from DuckDB's repository. */
  readonly extensions: string | undefined
  /** Used if the files are in object storage. Throws if an environment variable is wrong. */
  readonly objectStore: () => ObjectStoreAccess
}

// Up to this many rows that a commit adds to a table stay in PostgreSQL; `vaulthouse maintain` writes them to Parquet.
// With DuckLake's own limit of 10 a first sync of 50 vaults left 90 files instead of 46, in the same time. With 1,000
// it left 20, but a commit took up to several seconds more, since the rows reach PostgreSQL as the text of a
// statement.
const INLINED_ROWS = 100

/**
 * Where PostgreSQL's answer is cut short, its extension fails with what DuckDB takes for a bug of its own, after which it
 * refuses every statement. It could not even roll back, and would end the process while it closes the connection. Since
 * nothing of a lake is kept in this process, and a copy that fails is thrown away, it goes on.
 */
export const GOES_ON = { disable_database_invalidation: "true" }

/** Attaches the lake as `name`, and makes it if there is none. Resolves with the folder or prefix of its files. */
export const attachLake = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  catalog: Catalog,
  name = CATALOG,
  options = "READ_WRITE",
): Promise<string> => {
  const stored = await catalog.dataPath()
  const data = dataOf(lake, stored)
  await loadExtensions(connection, extensionsFor(data), lake.extensions)
  if (isInObjectStore(data)) await checkObjectStore(connection, lake, data)
  else await makeFolder(data)
  const { password } = lake.catalog
  // Separate from the connection string, which DuckDB's messages show.
  if (password !== undefined) {
    await connection.run(
      `CREATE SECRET (TYPE postgres, PASSWORD ${literal(Redacted.value(password))})`,
    )
  }
  const attach = () => attachAs(connection, lake, catalog, { name, data, options })
  // If the turn is lost during COMMIT, the transaction must fail. DuckLake would repeat it on top of another one,
  // although both may insert the same rows.
  await connection.run("SET ducklake_max_retry_count = 0")
  // The first process to attach the lake creates it.
  await (stored === undefined
    ? catalog.creating(async () => {
        if ((await catalog.dataPath()) === undefined) await mustBeUnused(connection, lake, data)
        await attach()
      })
    : attach())
  return data
}

interface Attached {
  readonly name: string
  /** Of the lake's files. */
  readonly data: string
  readonly options: string
}

const attachAs = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  { timeouts }: Catalog,
  { name, data, options }: Attached,
): Promise<void> => {
  await connection.run(
    `ATTACH ${literal(`ducklake:postgres:${conninfo(lake.catalog, timeouts)}`)} AS ${name}
     (DATA_PATH ${literal(data)}, METADATA_SCHEMA ${literal(METADATA_SCHEMA)}, DATA_INLINING_ROW_LIMIT ${INLINED_ROWS}, ${options})`,
  )
}

/** Attaches the process's lake anew, so that DuckLake remembers nothing of it. The connection must not use it by default. */
export const attachAnew = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  catalog: Catalog,
  data: string,
): Promise<void> => {
  await connection.run(`DETACH DATABASE IF EXISTS ${CATALOG}`)
  await attachAs(connection, lake, catalog, { name: CATALOG, data, options: "READ_WRITE" })
}

/** DuckLake takes every Parquet file that its catalog does not name for one that a transaction left behind. */
const mustBeUnused = async (
  connection: DuckDBConnection,
  { catalog }: LakeOptions,
  data: string,
): Promise<void> => {
  const parquet = literal(`${withSlash(data)}**/*.parquet`)
  const found = await readRows(connection, `SELECT 1 FROM glob(${parquet}) LIMIT 1`)
  if (found.length === 0) return
  throw new LoadError({
    reason: "Files",
    what: `The lake ${catalog.shown} can't be made`,
    why: `${data} (lake.data) has Parquet files already, which \`vaulthouse maintain\` would delete`,
    advice:
      "They may be those of another lake, or of one whose catalog is lost. Set lake.data to a folder or prefix of its own.",
  })
}

/** Attaches it as `inspected`, if there is one, and checks that everything it needs is there. Changes nothing. */
export const attachIfThere = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  catalog: Catalog,
): Promise<boolean> => {
  const stored = await catalog.dataPath()
  const data = dataOf(lake, stored)
  if (stored === undefined) {
    await loadExtensions(connection, extensionsFor(data), lake.extensions)
    if (isInObjectStore(data)) await checkObjectStore(connection, lake, data)
    return false
  }
  if (!isInObjectStore(data)) await checkFolder(data)
  await attachLake(connection, lake, catalog, "inspected", "READ_ONLY")
  return true
}

/** Sends a request of its own: DuckLake's first would be part of a commit. */
const checkObjectStore = async (
  connection: DuckDBConnection,
  lake: LakeOptions,
  data: string,
): Promise<void> => {
  await reachObjectStore(connection, lake.objectStore())
  try {
    await connection.run(`SELECT count(*) FROM glob(${literal(`${withSlash(data)}none-*`)})`)
  } catch (cause) {
    const text = causeMessage(cause)
    throw new LoadError({
      reason: "Files",
      what: `The lake's Parquet files in ${data} (lake.data)`,
      ...(objectStoreProblem(text, data) ?? {
        why: (text.split("\n")[0] ?? "").replace(/[.!]$/, ""),
        advice: "Check AWS_ENDPOINT_URL_S3, AWS_REGION and the network.",
      }),
      cause,
    })
  }
}

const checkFolder = async (folder: string): Promise<void> => {
  try {
    await access(folder, constants.R_OK | constants.W_OK)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT"
    throw new LoadError({
      reason: "Files",
      what: `The lake's Parquet files in ${folder}`,
      why: isMissing ? "this machine has no such folder" : "this user can't read and write there",
      advice: "Every machine that writes the lake needs the folder at the same path.",
      cause,
    })
  }
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

const KEEPALIVES = ["tcp_keepalives_idle=20", "tcp_keepalives_interval=5", "tcp_keepalives_count=4"]

/**
 * The connection string for libpq, without secrets, because messages may show it. What is read at one moment may take
 * minutes, during which PostgreSQL sees a transaction without a statement: none of its timeouts holds.
 */
const conninfo = (target: PostgresTarget, timeouts: ReadonlyArray<string>): string => {
  const { host, port, database, passwordFile, sslMode } = target
  const { rootCertificate, certificate, key, connectTimeoutSeconds, applicationName } = target
  const parts: Readonly<Record<string, string | number | undefined>> = {
    host,
    port,
    dbname: database,
    user: userOf(target),
    passfile: passwordFile,
    sslmode: sslMode,
    sslrootcert: rootCertificate,
    sslcert: certificate,
    sslkey: key,
    connect_timeout: connectTimeoutSeconds,
    application_name: applicationName,
    // Otherwise a lost connection is noticed after two hours: here by a commit, on the server by those who wait for
    // its locks.
    keepalives_idle: 20,
    keepalives_interval: 5,
    keepalives_count: 4,
    tcp_user_timeout: 40_000,
    options: [...KEEPALIVES, ...timeouts.map((name) => `${name}=0`)]
      .map((setting) => `-c ${setting}`)
      .join(" "),
  }
  return Object.entries(parts)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`${name}='${String(value).replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`],
    )
    .join(" ")
}
