// Who may read what is published: the mode of its files, and of the folders that lead to them.
import { existsSync } from "node:fs"
import { chmod, readdir, stat } from "node:fs/promises"
import { join } from "node:path"

export interface PublishedAccess {
  /** Octal digits, for example `0640`. */
  readonly mode: string
}

/** Files that only their owner can read, as everything else in the data directory. */
export const ownerOnly: PublishedAccess = { mode: "0600" }

export const modeOf = ({ mode }: PublishedAccess): number => Number.parseInt(mode, 8)

/** A folder can be entered by whoever may read its files. */
const folderModeOf = (access: PublishedAccess): number => {
  const mode = modeOf(access)
  return mode | ((mode & 0o444) >> 2)
}

/** The bits besides `rwx` stay: files made in a folder with the setgid bit get its group. */
const give = async (path: string, mode: number): Promise<void> => {
  const found = (await stat(path)).mode
  if ((found & 0o777) !== mode) await chmod(path, (found & 0o7000) | mode)
}

/** Sets the mode of a file that is about to be put in place. */
export const giveAccess = (file: string, access: PublishedAccess): Promise<void> =>
  give(file, modeOf(access))

/**
 * A folder that DuckDB makes beside a copy that a reader has opened, for what its query spills: it is the reader's, and its
 * files come and go.
 */
const isOfReader = (name: string): boolean => name.endsWith(".duckdb.tmp")

/** Sets the access of everything below the folders. Other users may pass through `dataDir`, but not list it. */
export const giveAccessBelow = async (
  dataDir: string,
  folders: ReadonlyArray<string>,
  access: PublishedAccess,
): Promise<void> => {
  const passing = folderModeOf(access) & 0o011
  if (passing !== 0) await give(dataDir, ((await stat(dataDir)).mode & 0o777) | passing)
  for (const folder of folders) if (existsSync(folder)) await giveAccessIn(folder, access)
}

const giveAccessIn = async (folder: string, access: PublishedAccess): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // A link points to a folder that is included too.
    if (entry.isSymbolicLink() || isOfReader(entry.name)) continue
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? giveAccessIn(path, access) : giveAccess(path, access))
  }
  await give(folder, folderModeOf(access))
}
