// The Parquet files that a commit of a lake in a folder names. DuckDB leaves it to the operating system when their content
// reaches the disk, so that a power cut could take what PostgreSQL has committed. And DuckLake removes them when COMMIT
// fails, although PostgreSQL may have committed, and only its answer was lost: see docs/decisions/0034.
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { copyFile, link, readdir, rename, stat, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { flush } from "../../../domain/flush.ts"

/** What a turn calls, in this order. */
export interface NewFiles {
  /** At its beginning. `othersWrote`: other processes may have committed since this one's last turn. */
  readonly begin: (othersWrote: boolean) => Promise<void>
  /** Before COMMIT: from now on DuckLake can't remove what the transaction has written. A power cut can't take it either. */
  readonly keep: () => Promise<void>
  /** Once the transaction is over. */
  readonly release: () => Promise<void>
}

/** Those of DuckLake. */
const FILE = /^ducklake-[^/]*\.(?:parquet|puffin)$/

/** Of a second name, beside the first. Each process has its own: it removes no other's. */
const KEPT = /^(ducklake-[^/]*\.(?:parquet|puffin))\.[\da-f-]{36}\.kept$/

// A process that stood still in COMMIT, as on a machine that slept, may remove a file only when it goes on.
const KEPT_MILLIS = 30 * 86_400_000

interface Found {
  /** Below the folder of the lake. */
  readonly files: ReadonlySet<string>
  /** Second names, with the first. */
  readonly kept: ReadonlyMap<string, string>
}

/** DuckLake has a folder for each schema, and in it one for each table. Restores what killed processes have left. */
export const newFilesIn = async (
  folder: string,
  schemas: ReadonlySet<string>,
): Promise<NewFiles> => {
  const own = `.${randomUUID()}.kept`
  let known: ReadonlySet<string> = new Set()
  let added: ReadonlyArray<string> = []
  const begin = async (): Promise<void> => {
    const { files, kept } = await present(folder, schemas)
    for (const [name, file] of kept) {
      if (!files.has(file)) await restore(folder, name, file)
      await removeOld(join(folder, name))
    }
    known = new Set([...files, ...kept.values()])
  }
  await begin()
  return {
    begin: async (othersWrote) => {
      if (othersWrote) await begin()
    },
    keep: async () => {
      const { files } = await present(folder, schemas)
      added = [...files].filter((file) => !known.has(file))
      known = files
      for (const file of added) await keep(folder, file, `${file}${own}`)
      for (const path of new Set(added.flatMap(foldersOf))) {
        await flush(join(folder, path)).catch(ofAnother)
      }
    },
    release: async () => {
      const released = added
      added = []
      for (const file of released) await restore(folder, `${file}${own}`, file)
      // One that can't be removed now is removed once it is old.
      for (const file of released)
        await unlink(join(folder, `${file}${own}`)).catch(() => undefined)
    },
  }
}

/** Both names are on the disk once their folder is flushed. */
const keep = async (folder: string, file: string, name: string): Promise<void> => {
  const isOwn = await flush(join(folder, file)).then(() => true, ofAnother)
  if (isOwn !== true) return
  try {
    await link(join(folder, file), join(folder, name))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return
    // Not every shared folder has hard links.
    await copyFile(join(folder, file), join(folder, name), constants.COPYFILE_FICLONE)
    await flush(join(folder, name))
  }
}

/**
 * Gives a file that is gone its name back. The second one stays, since its process may remove the first again, except where there
 * are no hard links.
 */
const restore = async (folder: string, name: string, file: string): Promise<void> => {
  try {
    await link(join(folder, name), join(folder, file))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // It is there, or its process has released it meanwhile.
    if (code === "EEXIST" || code === "ENOENT") return
    const isThere = await stat(join(folder, file)).catch(unless("ENOENT"))
    if (isThere !== undefined) return
    await rename(join(folder, name), join(folder, file)).catch(unless("ENOENT"))
  }
  await flush(join(folder, dirname(file)))
}

const removeOld = async (path: string): Promise<void> => {
  const found = await stat(path).catch(unless("ENOENT"))
  if (found === undefined || found.mtimeMs > Date.now() - KEPT_MILLIS) return
  await unlink(path).catch(unless("ENOENT"))
}

/** Without a look at each file, of which there may be very many. */
const present = async (folder: string, schemas: ReadonlySet<string>): Promise<Found> => {
  const files = new Set<string>()
  const kept = new Map<string, string>()
  const ofTable = async (table: string): Promise<void> => {
    const names = await readdir(join(folder, table)).catch(unless("ENOENT", "ENOTDIR"))
    for (const name of names ?? []) {
      const [, first] = KEPT.exec(name) ?? []
      if (first !== undefined) kept.set(join(table, name), join(table, first))
      else if (FILE.test(name)) files.add(join(table, name))
    }
  }
  const ofSchema = async (schema: string): Promise<void> => {
    const tables = await readdir(join(folder, schema)).catch(unless("ENOENT"))
    await Promise.all((tables ?? []).map((table) => ofTable(join(schema, table))))
  }
  await Promise.all([...schemas].map(ofSchema))
  return { files, kept }
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
