// Where a process that shares a data directory spills what does not fit into memory. DuckDB names its files by number,
// so two processes that spilled into one folder would read each other's files and crash. Process ids are not unique
// names, because they are often the same in containers.
import { utimesSync } from "node:fs"
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { MILLIS_PER_DAY, MILLIS_PER_HOUR } from "../../../domain/values/time.ts"
import { makeFolder } from "../../../domain/flush.ts"

const PREFIX = "spill-"

export interface SpillFolder {
  readonly path: string
  /** Everything is committed by then; what can't be removed is removed by a process a day later. */
  readonly remove: () => Promise<void>
}

/** Creates a folder for this process in `<dataDir>/tmp`; removes those whose processes ended a day ago or earlier. */
export const spillFolder = async (dataDir: string): Promise<SpillFolder> => {
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
  const path = await mkdtemp(join(parent, PREFIX))
  // Its time shows the others that this process is alive: DuckDB changes it only when it spills.
  const heartbeat = setInterval(() => beat(path), MILLIS_PER_HOUR).unref()
  return {
    path,
    remove: () => {
      clearInterval(heartbeat)
      return rm(path, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

const beat = (path: string): void => {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // The next one may succeed, long before a day is over.
  }
}
