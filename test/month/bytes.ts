// Bytes of the parts of a data directory.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Bytes {
  readonly raw: number
  /** The writer's file and its log. */
  readonly warehouse: number
  /** The newest copy and the one before it. */
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
  const sum = (prefix: string): number => {
    const files = filesIn(dataDir)
      .filter((file) => file.startsWith(prefix))
      .map((file) => statSync(join(dataDir, file)))
    // A file with two names is on disk once.
    const sizes = new Map(files.map(({ ino, size }) => [ino, size]))
    return [...sizes.values()].reduce((bytes, size) => bytes + size, 0)
  }
  return {
    raw: sum("raw/"),
    warehouse: sum("vaulthouse.duckdb"),
    published: sum("published/"),
    parquet: sum("parquet/"),
    all: sum(""),
  }
}
