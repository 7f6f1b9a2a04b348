// Who may read what is published: the mode and group of its files, and of the folders that lead to them.
import { chmod, chown, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { filesError, LoadError } from "../errors.ts"

export interface PublishedAccess {
  /** Octal digits, for example `0640`. */
  readonly mode: string
  /** Name or id; `undefined` leaves the group of the user who publishes. */
  readonly group: string | undefined
}

/** Files that only their owner can read, as everything else in the data directory. */
export const ownerOnly: PublishedAccess = { mode: "0600", group: undefined }

const modeOf = ({ mode }: PublishedAccess): number => Number.parseInt(mode, 8)

/** A folder can be entered by whoever may read its files. */
const folderModeOf = (access: PublishedAccess): number => {
  const mode = modeOf(access)
  return mode | ((mode & 0o444) >> 2)
}

/** Fails if this machine has no such group; called before a run, so that it does not fail at its end. */
export const checkAccess = ({ group }: PublishedAccess): Effect.Effect<void, LoadError> =>
  group === undefined
    ? Effect.void
    : Effect.tryPromise({
        try: () => groupIdOf(group),
        catch: (cause) => filesError("Publishing the warehouse", cause),
      }).pipe(Effect.asVoid)

const groupIdOf = async (group: string): Promise<number> => {
  if (/^\d+$/.test(group)) return Number(group)
  const lines = (await readFile("/etc/group", "utf8").catch(() => "")).split("\n")
  const [, , id] = lines.find((line) => line.startsWith(`${group}:`))?.split(":") ?? []
  if (id !== undefined) return Number(id)
  throw new LoadError({
    reason: "Files",
    what: "Publishing the warehouse",
    why: `publishedGroup is ${group}, and this machine has no group of that name`,
    advice: "Give a group of /etc/group, or its number.",
  })
}

const give = async (path: string, mode: number, group: number | undefined): Promise<void> => {
  const found = await stat(path)
  if (group !== undefined && found.gid !== group) await chown(path, found.uid, group)
  if ((found.mode & 0o777) !== mode) await chmod(path, mode)
}

/** Sets the access of a file that is about to be put in place. */
export const giveAccess = async (file: string, access: PublishedAccess): Promise<void> => {
  const group = access.group === undefined ? undefined : await groupIdOf(access.group)
  await give(file, modeOf(access), group)
}

/** Sets the access of everything below the folders. Other users may pass through `dataDir`, but not list it. */
export const giveAccessBelow = async (
  dataDir: string,
  folders: ReadonlyArray<string>,
  access: PublishedAccess,
): Promise<void> => {
  const group = access.group === undefined ? undefined : await groupIdOf(access.group)
  const folderMode = folderModeOf(access)
  const passing = folderMode & 0o011
  if (passing !== 0) await give(dataDir, ((await stat(dataDir)).mode & 0o777) | passing, group)
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      // It points to a folder that is included too.
      if (entry.isSymbolicLink()) continue
      const mode = entry.isDirectory() ? folderMode : modeOf(access)
      await give(join(entry.parentPath, entry.name), mode, group)
    }
    if (entries.length > 0) await give(folder, folderMode, group)
  }
}
