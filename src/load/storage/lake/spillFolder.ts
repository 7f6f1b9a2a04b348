// Where a process that shares a data directory spills what does not fit into memory. DuckDB names its files by number,
// so two processes that spilled into one folder would read each other's files and crash. Process ids are not unique
// names, because they are often the same in containers.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { MILLIS_PER_DAY } from "../../../domain/values/time.ts"
import { makeFolder } from "../../../domain/flush.ts"

const PREFIX = "spill-"

/**
 * Creates a folder for this process in `<dataDir>/tmp`, to be removed at its end; removes folders left a day ago or
 * earlier.
 */
export const spillFolder = async (dataDir: string): Promise<string> => {
  const parent = join(dataDir, "tmp")
  await makeFolder(parent)
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    // Another process may remove it at the same time.
    const found = name.startsWith(PREFIX) ? await stat(folder).catch(() => undefined) : undefined
    if (found !== undefined && found.mtimeMs < Date.now() - MILLIS_PER_DAY) {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return mkdtemp(join(parent, PREFIX))
}
