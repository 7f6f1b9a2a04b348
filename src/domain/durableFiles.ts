// Writes files so that a crash leaves either the old or the whole new content: written aside, flushed, renamed, and
// the folder flushed too.
import { createHash, randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { chmod, copyFile, link, open, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { pipeline } from "node:stream/promises"
import { flush, makeFolder } from "./flush.ts"

/** Moves the complete file `from` to `to`: readers see the old one or the new one. */
export const putInPlace = async (from: string, to: string): Promise<void> => {
  await makeFolder(dirname(to))
  await flush(from)
  await rename(from, to)
  await flush(dirname(to))
}

// Error codes of network, FAT and container file systems without links.
const withoutLinks: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Whether a link failed because the file system does not support links. */
export const lacksLinks = (cause: unknown): boolean =>
  withoutLinks.has((cause as NodeJS.ErrnoException).code)

/** Gives the file a second name, which costs no space; a flushed copy if the file system does not support links. */
export const linkOrCopy = async (from: string, to: string): Promise<void> => {
  await link(from, to).catch(async (cause: unknown) => {
    if (!lacksLinks(cause)) throw cause
    await copyFile(from, to)
    await flush(to)
  })
}

const OWNER_ONLY = 0o600

/** The name of a file until it is written. */
export const asideOf = (path: string): string => `${path}.tmp`

interface Owner {
  readonly uid: number
  readonly gid: number
}

const writeAside = async (
  path: string,
  content: string,
  mode: number,
  owner?: Owner,
): Promise<void> => {
  const handle = await open(asideOf(path), "w", OWNER_ONLY)
  try {
    await handle.writeFile(content)
    const made = await handle.stat()
    const { uid, gid } = owner ?? made
    if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid)
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

/** The file gets the permissions `mode`, whatever the umask, and the `owner`, by default this process's user. */
export const writeDurably = async (
  path: string,
  content: string,
  mode = OWNER_ONLY,
  owner?: Owner,
): Promise<void> => {
  await makeFolder(dirname(path))
  await writeAside(path, content, mode, owner)
  await putInPlace(asideOf(path), path)
}

/** Creates a file in a folder that exists, for its owner alone. Throws EEXIST if there is one, even if it appeared meanwhile. */
export const createDurably = async (path: string, content: string): Promise<void> => {
  const aside = asideOf(path)
  try {
    await writeAside(path, content, OWNER_ONLY)
    await flush(aside)
    await link(aside, path).catch(async (cause: unknown) => {
      if (!lacksLinks(cause)) throw cause
      // Nobody else can take the name from here on.
      await (await open(path, "wx", OWNER_ONLY)).close()
      await rename(aside, path)
    })
    await flush(dirname(path))
  } finally {
    await rm(aside, { force: true })
  }
}

/** Replaces a file that other processes may be replacing too, in a folder that exists. By default, its mode is of the umask. */
export const replaceDurably = async (
  path: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> => {
  const aside = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(aside, content)
    if (mode !== undefined) await chmod(aside, mode)
    await putInPlace(aside, path)
  } catch (cause) {
    await rm(aside, { force: true })
    throw cause
  }
}

/** Of the whole file, or of its first bytes. */
export const sha256Of = async (path: string, bytes = Infinity): Promise<string> => {
  const hash = createHash("sha256")
  const part = { highWaterMark: 1 << 20, end: bytes - 1 }
  // A stream has at least one byte to end at.
  if (bytes > 0) await pipeline(createReadStream(path, part), hash)
  return hash.digest("hex")
}
