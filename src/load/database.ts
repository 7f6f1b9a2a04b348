// Opens the warehouse's file: one DuckDB instance a process, limits and time zone set before anything is read.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import type { Table } from "../domain/table.ts"
import { WarehouseLocked } from "./errors.ts"
import { CATALOG, literal } from "./sql.ts"
import { copyTemplate, STORAGE_VERSION } from "./template.ts"

export interface DatabaseOptions {
  readonly dataDir: string
  /** DuckDB's memory limit, for example `1GB` (default 128MB); what does not fit is spilled. */
  readonly memoryLimit?: string
  /** How much may be spilled to `<dataDir>/tmp`. */
  readonly maxTempDirectorySize?: string
  readonly threads?: number
}

export interface Database {
  /** For transactions and temporary tables. */
  readonly writer: DuckDBConnection
  /** For reading while the writer is in a transaction. */
  readonly reader: DuckDBConnection
  readonly close: () => void
}

export const databaseFile = (dataDir: string): string => join(dataDir, "vaulthouse.duckdb")

/** Directories under the data directory are the user's own. */
export const makePrivateDirectory = (directory: string): void => {
  if (existsSync(directory)) {
    if (statSync(directory).isDirectory()) return
    throw Object.assign(new Error(`${directory} is not a folder`), { code: "ENOTDIR" })
  }
  const parent = dirname(directory)
  if (parent !== directory) makePrivateDirectory(parent)
  // One at a time: with `recursive`, Node never stops trying where nothing can be made, as in /proc.
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!existsSync(directory)) throw cause
  }
}

/** `tables` are those a new file begins with. */
export const openDatabase = async (
  options: DatabaseOptions,
  tables: ReadonlyArray<Table>,
): Promise<Database> => {
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
    if (isNew) await copyTemplate(file, tables)
    try {
      await writer.run(
        `ATTACH ${literal(file)} AS ${CATALOG} (STORAGE_VERSION ${literal(STORAGE_VERSION)})`,
      )
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
