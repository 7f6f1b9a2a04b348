// Flushes the Parquet files of a lake in a folder. DuckDB leaves that to the operating system, so that a power cut could take
// the content of files whose rows PostgreSQL has committed.
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { flush } from "../../../domain/flush.ts"

/**
 * Each call flushes the files of these schemas that are new since the call before, and the folders with their names; the
 * first one, those that are new since this one. DuckLake has a folder for each schema, and in it one for each table.
 */
export const newFilesFlush = async (
  folder: string,
  schemas: ReadonlySet<string>,
): Promise<() => Promise<void>> => {
  const present = async () =>
    new Set((await Promise.all([...schemas].map((schema) => filesIn(folder, schema)))).flat())
  let known = await present()
  return async () => {
    const found = await present()
    const added = [...found].filter((file) => !known.has(file))
    for (const path of [...added, ...new Set(added.flatMap(foldersOf))]) {
      // One that is gone, or not to be opened, is another process's.
      await flush(join(folder, path)).catch(unless("ENOENT", "EACCES"))
    }
    known = found
  }
}

/** Without a look at each file, of which there may be very many. */
const filesIn = async (folder: string, schema: string): Promise<ReadonlyArray<string>> => {
  const tables = await readdir(join(folder, schema)).catch(unless("ENOENT"))
  const files = (tables ?? []).map(async (table) => {
    const names = await readdir(join(folder, schema, table)).catch(unless("ENOENT", "ENOTDIR"))
    return (names ?? []).map((name) => join(schema, table, name))
  })
  return (await Promise.all(files)).flat()
}

const unless =
  (...codes: ReadonlyArray<string>) =>
  (cause: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(cause.code ?? "")) throw cause
  }

/** Those on the way to a file, its own first. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const folder = dirname(path)
  return folder === "." ? [folder] : [folder, ...foldersOf(folder)]
}
