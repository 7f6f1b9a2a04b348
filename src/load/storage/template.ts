// A new warehouse is a copy of an empty one, made once for each layout, its marts and version of DuckDB and kept in the
// user's cache: a few milliseconds instead of the 0.7 s that its tables, marts and comments take.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { copyFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { DuckDBInstance, version as duckdbVersion } from "@duckdb/node-api"
import { MILLIS_PER_DAY } from "../../domain/values/time.ts"
import { type Table, storedTables } from "../../domain/table/table.ts"
import { createMarts } from "../marts/createMarts.ts"
import { putInPlace } from "../../domain/durableFiles.ts"
import { alone } from "../duckdb/transaction.ts"
import { creationScript, fingerprintOf } from "../tables/warehouseLayout.ts"
import { martSources } from "../marts/martSources.ts"
import { CATALOG, literal } from "../sql/sql.ts"

/**
 * DuckDB 1.1 to 1.5 can read v1.1.0; no 1.x can read the default of DuckDB 2. v1.0.0 stores 3 kB of statistics for each
 * column: an empty warehouse takes 6.6 MB instead of 2.6 and twice as long to open.
 */
export const STORAGE_VERSION = "v1.1.0"

/**
 * Option of ATTACH for a file that is made aside and thrown away where that fails: it needs no log, and DuckDB ends the
 * process, from a destructor, if a full disk or another failure keeps it from truncating one.
 */
export const WITHOUT_LOG = "RECOVERY_MODE 'NO_WAL_WRITES'"

const cacheFolder = (): string => join(homedir(), ".cache", "vaulthouse")

const KEPT_MILLIS = 30 * MILLIS_PER_DAY

/** Removes, after a month, what other versions made, and what killed processes left of making one. */
const removeOld = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (!/\.duckdb(\.|$)/.test(name)) continue
    const file = join(folder, name)
    // Another process may have removed it since.
    const { mtimeMs = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > KEPT_MILLIS) rmSync(file, { force: true })
  }
}

/** Makes an empty warehouse of this layout at `file`, which must not exist. */
export const makeEmptyWarehouse = async (
  file: string,
  tables: ReadonlyArray<Table>,
): Promise<void> => {
  const aside = `${file}.${process.pid}`
  // In a container, the process that was killed while it made one may have had the same number.
  rmSync(aside, { force: true })
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
  try {
    const connection = await instance.connect()
    await connection.run(
      `ATTACH ${literal(aside)} AS ${CATALOG} (STORAGE_VERSION ${literal(STORAGE_VERSION)}, ${WITHOUT_LOG})`,
    )
    await connection.run(creationScript(tables))
    // Fails if the marts need tables that this warehouse lacks; it then has no marts.
    await createMarts(alone(connection), tables.flatMap(storedTables)).catch(() => undefined)
    // Checkpoints, so that the file is complete without a log.
    await connection.run(`DETACH ${CATALOG}`)
    connection.closeSync()
    await putInPlace(aside, file)
  } finally {
    instance.closeSync()
    rmSync(aside, { force: true })
  }
}

/**
 * Puts an empty warehouse of this layout at `file`, flushed: DuckDB flushes its log with each commit, but the file itself
 * with its next checkpoint only. If nothing can be cached, it does nothing, and the tables are then created in the file
 * itself.
 */
export const copyTemplate = async (file: string, tables: ReadonlyArray<Table>): Promise<void> => {
  const aside = `${file}.new`
  try {
    const folder = cacheFolder()
    // One level at a time: `recursive` never returns in places such as /proc, where nothing can be created.
    for (const each of [dirname(folder), folder]) {
      if (!existsSync(each)) mkdirSync(each, { mode: 0o700 })
    }
    const layout = `${fingerprintOf(tables).slice(0, 32)}-${duckdbVersion()}`
    const marts = martSources(tables.flatMap(storedTables)).slice(0, 32)
    const template = join(folder, `${layout}-${marts}.duckdb`)
    if (!existsSync(template)) {
      removeOld(folder)
      await makeEmptyWarehouse(template, tables)
    }
    await copyFile(template, aside)
  } catch {
    rmSync(aside, { force: true })
    return
  }
  await putInPlace(aside, file)
}
