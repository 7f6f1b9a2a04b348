// Opens a published copy in DuckDB so that nothing outside it can be reached: a foreign file could contain a view that
// reads other files.
import { existsSync } from "node:fs"
import { basename } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { attachConfined } from "../../../duckdb/confine.ts"
import { logOf } from "../../../duckdb/databaseLog.ts"
import { literal } from "../../../sql/sql.ts"

export interface CopyOptions {
  readonly memoryLimit: string
  /** A folder for what spills, which must exist unless nothing is to spill. */
  readonly spill: string
  /** How much may spill; DuckDB's default if absent. */
  readonly diskLimit?: string
  /** The only folder that SQL may write to. */
  readonly exportFolder?: string
  /** As many as there are processors if absent. */
  readonly threads?: number
}

export interface OpenCopy {
  readonly connection: DuckDBConnection
  readonly close: () => void
}

export const openCopy = async (
  file: string,
  { memoryLimit, spill, diskLimit, exportFolder, threads }: CopyOptions,
): Promise<OpenCopy> => {
  // No option of ATTACH leaves it out.
  if (existsSync(logOf(file))) {
    throw new Error(
      `there is ${basename(logOf(file))} of a program that has opened it to write. DuckDB would add what that program wrote, which was never published.`,
    )
  }
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: memoryLimit,
    temp_directory: spill,
    ...(threads === undefined ? {} : { threads: String(threads) }),
  })
  try {
    const connection = await instance.connect()
    const folders = exportFolder === undefined ? [] : [exportFolder]
    await attachConfined(connection, file, "published", folders)
    await connection.run("USE published")
    await connection.run("SET TimeZone = 'UTC'")
    // Ignored if it is given when the instance is created.
    if (diskLimit !== undefined) {
      await connection.run(`SET max_temp_directory_size = ${literal(diskLimit)}`)
    }
    await connection.run("SET lock_configuration = true")
    return {
      connection,
      close: () => {
        // An open connection would keep the file open until it is collected.
        connection.closeSync()
        instance.closeSync()
      },
    }
  } catch (cause) {
    instance.closeSync()
    throw cause
  }
}
