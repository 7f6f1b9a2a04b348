// What a command makes in the data directory for as long as it runs, under the writer's lock: whoever takes the lock next removes
// what a killed one has left.
import { readdir, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { asideOf } from "../domain/durableFiles.ts"
import { databaseFile } from "./storage/file/duckdbFile.ts"

/** The folder in which a replay rebuilds tables. */
export const rebuiltFolder = (dataDir: string): string => join(dataDir, "replay")

/** The warehouse's file until a move out of a lake has filled it. */
export const movingFile = (database: string): string => `${database}.moving`

/** Names the backup of a restore that is under way, and outlives it until the restore is repeated. */
export const restoreMark = (dataDir: string): string => join(dataDir, "restoring.json")

const wholeNames = (dataDir: string): ReadonlyArray<string> => [
  rebuiltFolder(dataDir),
  asideOf(restoreMark(dataDir)),
]

const beginnings = (dataDir: string): ReadonlyArray<string> => [
  movingFile(databaseFile(dataDir)),
  // DuckDB's, of what did not fit into memory. Processes that share the data directory have folders of their own there.
  join(dataDir, "tmp", "duckdb_temp_"),
]

/**
 * Call it with the lock, before anything else is made. What can't be removed stays: it is in nobody's way, and who makes it again
 * removes it first.
 */
export const removeLeftovers = async (dataDir: string): Promise<void> => {
  const left = [...wholeNames(dataDir)]
  for (const beginning of beginnings(dataDir)) {
    const folder = dirname(beginning)
    const names = await readdir(folder).catch(() => [])
    const begun = names.filter((name) => name.startsWith(basename(beginning)))
    left.push(...begun.map((name) => join(folder, name)))
  }
  for (const path of left) {
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}
