// Opens the warehouse's file: one DuckDB instance a process, limits and time zone set before anything is read.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { WarehouseLocked } from "./errors.ts"
import { CATALOG, literal } from "./sql.ts"

export interface DatabaseOptions {
  readonly dataDir: string
  /** DuckDB's memory limit, for example `1GB` (default 128MB); what does not fit is spilled. */
  readonly memoryLimit?: string
  /** How much may be spilled to `<dataDir>/tmp`. */
  readonly maxTempDirectorySize?: string
  readonly threads?: number
}

export interface Database {
  /** For the writer alone: its transactions and its temporary tables. */
  readonly writer: DuckDBConnection
  /** For reading beside it. */
  readonly reader: DuckDBConnection
  readonly close: () => void
}

export const databaseFile = (dataDir: string): string => join(dataDir, "vaulthouse.duckdb")

/** Directories under the data directory are the user's own. */
export const makePrivateDirectory = (directory: string): void => {
  if (existsSync(directory)) {
    if (statSync(directory).isDirectory()) return
    throw Object.assign(new Error(`${directory} is no folder`), { code: "ENOTDIR" })
  }
  const parent = dirname(directory)
  if (parent !== directory) makePrivateDirectory(parent)
  // One at a time: told to make all of them, Node tries for ever where nothing can be made, as in /proc.
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Somebody else may have made it meanwhile.
    if (!existsSync(directory)) throw cause
  }
}

export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const file = databaseFile(options.dataDir)
  const spill = join(options.dataDir, "tmp")
  makePrivateDirectory(spill)
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: options.memoryLimit ?? "128MB",
    temp_directory: spill,
    // One core is left to reading and parsing: on two, a second thread here slows both by a sixth.
    threads: String(options.threads ?? Math.max(1, availableParallelism() - 1)),
  })
  try {
    const writer = await instance.connect()
    // Given at open it is ignored.
    await writer.run(
      `SET max_temp_directory_size = ${literal(options.maxTempDirectorySize ?? "20GB")}`,
    )
    // The default of 16 MB rewrites the tail of growing tables every few groups, a quarter slower and with more
    // memory at its peak; more than this keeps more of a first sync in memory.
    await writer.run("SET checkpoint_threshold = '32MB'")
    const isNew = !existsSync(file)
    try {
      // v1.0.0 can be read by DuckDB 1.1 to 1.5; the default of DuckDB 2 by no 1.x.
      await writer.run(`ATTACH ${literal(file)} AS ${CATALOG} (STORAGE_VERSION 'v1.0.0')`)
    } catch (cause) {
      if (cause instanceof Error && cause.message.includes("Could not set lock")) {
        throw new WarehouseLocked({ file, holder: undefined })
      }
      throw cause
    }
    if (isNew) chmodSync(file, 0o600)
    const reader = await instance.connect()
    for (const connection of [writer, reader]) {
      await connection.run(`USE ${CATALOG}`)
      await connection.run("SET TimeZone = 'UTC'")
    }
    return {
      writer,
      reader,
      close: () => {
        writer.closeSync()
        reader.closeSync()
        instance.closeSync()
      },
    }
  } catch (cause) {
    instance.closeSync()
    throw cause
  }
}
