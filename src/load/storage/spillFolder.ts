// Where a process that shares a data directory spills what does not fit into memory. DuckDB names its files by number: two
// that spilled into one folder would read each other's, and crash. Ids of processes are no names, since those in
// containers are often the same.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { makePrivateDirectory } from "../database.ts"

const PREFIX = "spill-"
// Left by a process that was killed.
const LEFT_MILLIS = 24 * 3600 * 1000

/** Makes a folder of one's own in `<dataDir>/tmp`, to be removed in the end; removes those that were left a day ago. */
export const spillFolder = async (dataDir: string): Promise<string> => {
  const parent = join(dataDir, "tmp")
  makePrivateDirectory(parent)
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    // Another process may remove it at the same time.
    const found = name.startsWith(PREFIX) ? await stat(folder).catch(() => undefined) : undefined
    if (found !== undefined && found.mtimeMs < Date.now() - LEFT_MILLIS) {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return mkdtemp(join(parent, PREFIX))
}
