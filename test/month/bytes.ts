// Bytes of the parts of a data directory.
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

export interface Bytes {
  readonly raw: number
  /** The writer's file and its log, without what guards its last write: that is as large as what is written at once. */
  readonly warehouse: number
  /** The largest copy. */
  readonly published: number
  readonly parquet: number
}

/** Files below a folder, as paths from it; none where it is not there. */
export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

/** The sizes of files whose path has the prefix and not the suffix; one with two names is on disk once. */
const sizesOf = (dataDir: string, prefix: string, without = "/"): ReadonlyArray<number> => {
  const files = filesIn(dataDir)
    .filter((file) => file.startsWith(prefix) && !file.endsWith(without))
    .map((file) => statSync(join(dataDir, file)))
  return [...new Map(files.map(({ ino, size }) => [ino, size])).values()]
}

const sum = (sizes: ReadonlyArray<number>): number => sizes.reduce((bytes, size) => bytes + size, 0)

export const bytesIn = (dataDir: string): Bytes => ({
  raw: sum(sizesOf(dataDir, "raw/")),
  warehouse: sum(sizesOf(dataDir, "vaulthouse.duckdb", ".doublewrite")),
  published: Math.max(0, ...sizesOf(dataDir, "published/")),
  parquet: sum(sizesOf(dataDir, "parquet/")),
})
