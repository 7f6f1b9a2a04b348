// Flushes the Parquet files of a lake in a folder. DuckDB leaves that to the operating system, so that a power cut could take
// the content of files whose rows PostgreSQL has committed.
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { flush } from "../../../domain/flush.ts"

/** Each call flushes the files below the folder that are new since this one or the call before, and the folders with their names. */
export const newFilesFlush = async (folder: string): Promise<() => Promise<void>> => {
  let known = await parquetIn(folder)
  return async () => {
    const present = await parquetIn(folder)
    const added = [...present].filter((file) => !known.has(file))
    for (const path of [...added, ...new Set(added.flatMap(foldersOf))]) {
      await flush(join(folder, path))
    }
    known = present
  }
}

const parquetIn = async (folder: string): Promise<ReadonlySet<string>> => {
  const names = await readdir(folder, { recursive: true })
  return new Set(names.filter((name) => name.endsWith(".parquet")))
}

/** Those on the way to a file, its own first. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const folder = dirname(path)
  return folder === "." ? [folder] : [folder, ...foldersOf(folder)]
}
