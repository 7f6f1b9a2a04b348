// Bytes of the parts of a data directory.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Bytes {
  readonly raw: number
  /** The writer's file and its log. */
  readonly warehouse: number
  readonly published: number
  readonly parquet: number
  /** Everything, the above included. */
  readonly all: number
}

/** Files below a folder, as paths from it; none where it is not there. */
export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

export const bytesIn = (dataDir: string): Bytes => {
  const sum = (prefix: string): number =>
    filesIn(dataDir)
      .filter((file) => file.startsWith(prefix))
      .reduce((bytes, file) => bytes + statSync(join(dataDir, file)).size, 0)
  return {
    raw: sum("raw/"),
    warehouse: sum("vaulthouse.duckdb"),
    published: sum("published/"),
    parquet: sum("parquet/"),
    all: sum(""),
  }
}
