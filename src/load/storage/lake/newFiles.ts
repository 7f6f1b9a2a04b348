// The Parquet files that a commit of a lake in a folder names. DuckDB leaves it to the operating system when their content
// reaches the disk, so that a power cut could take what PostgreSQL has committed. And DuckLake removes them when COMMIT
// fails, although PostgreSQL may have committed, and only its answer was lost: see docs/decisions/0034.
import { constants } from "node:fs"
import { copyFile, link, lstat, readdir, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { flush, makeFolder } from "../../../domain/flush.ts"

/** What a turn calls, in this order. */
export interface NewFiles {
  /** At its beginning. `othersWrote`: other processes may have committed since this one's last turn. */
  readonly begin: (othersWrote: boolean) => Promise<void>
  /** Before COMMIT: the files of the transaction, and their names, are on the disk, and each has a second name. */
  readonly keep: () => Promise<void>
  /** Once the transaction is over: a file that is gone gets its name back, and the second names are removed. */
  readonly release: () => Promise<void>
}

/** In the lake's folder, with the second names. */
const KEPT = "kept"

/** None ends with `.parquet`: DuckLake would take such a file for one of a transaction that never committed. */
const SUFFIX = ".kept"

const nameOf = (path: string): string => join(KEPT, `${encodeURIComponent(path)}${SUFFIX}`)

const pathOf = (name: string): string => decodeURIComponent(name.slice(0, -SUFFIX.length))

// A process that stood still in COMMIT, as on a machine that slept, may remove the files only when it goes on.
const KEPT_DAYS = 30
const MILLIS_PER_DAY = 86_400_000

/** DuckLake has a folder for each schema, and in it one for each table. Restores what killed processes have left. */
export const newFilesIn = async (
  folder: string,
  schemas: ReadonlySet<string>,
): Promise<NewFiles> => {
  const present = async () =>
    new Set((await Promise.all([...schemas].map((schema) => filesIn(folder, schema)))).flat())
  await restoreAll(folder)
  let known = await present()
  let kept: ReadonlyArray<string> = []
  return {
    begin: async (othersWrote) => {
      if (!othersWrote) return
      await restoreAll(folder)
      known = await present()
    },
    keep: async () => {
      const found = await present()
      const added = [...found].filter((file) => !known.has(file))
      known = found
      if (added.length === 0) return
      await makeFolder(join(folder, KEPT))
      kept = [...kept, ...added]
      for (const path of added) await keep(folder, path).catch(ofAnother)
      for (const path of new Set([KEPT, ...added.flatMap(foldersOf)])) {
        await flush(join(folder, path)).catch(ofAnother)
      }
    },
    release: async () => {
      for (const path of kept) {
        await restore(folder, path)
        await unlink(join(folder, nameOf(path))).catch(unless("ENOENT"))
      }
      kept = []
    },
  }
}

/** Both names are on the disk once their folders are flushed. */
const keep = async (folder: string, path: string): Promise<void> => {
  const [file, name] = [join(folder, path), join(folder, nameOf(path))]
  const isLinked = await link(file, name).then(
    () => true,
    () => false,
  )
  if (!isLinked) {
    // Not every shared folder has hard links.
    await copyFile(file, name, constants.COPYFILE_FICLONE)
    await flush(file)
  }
  await flush(name)
}

/** Gives a file its name back if it has only the second one. */
const restore = async (folder: string, path: string): Promise<void> => {
  const file = join(folder, path)
  if ((await lstat(file).catch(unless("ENOENT"))) !== undefined) return
  // Another process may have done it meanwhile.
  await rename(join(folder, nameOf(path)), file).catch(unless("ENOENT"))
  await flush(dirname(file)).catch(unless("ENOENT"))
}

/** The processes that kept them may be alive, and not know yet what became of their COMMIT. */
const restoreAll = async (folder: string): Promise<void> => {
  const names = await readdir(join(folder, KEPT)).catch(unless("ENOENT"))
  for (const name of (names ?? []).filter((each) => each.endsWith(SUFFIX))) {
    await restore(folder, pathOf(name))
    const left = join(folder, KEPT, name)
    const found = await lstat(left).catch(unless("ENOENT"))
    const isOld = found !== undefined && found.mtimeMs < Date.now() - KEPT_DAYS * MILLIS_PER_DAY
    if (isOld) await unlink(left).catch(unless("ENOENT"))
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

/** One that is gone, or not to be opened, is another process's. */
const ofAnother = unless("ENOENT", "EACCES")

/** Those on the way to a file, its own first. */
const foldersOf = (path: string): ReadonlyArray<string> => {
  const folder = dirname(path)
  return folder === "." ? [folder] : [folder, ...foldersOf(folder)]
}
