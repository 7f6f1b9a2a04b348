// Writes files so that a crash leaves either the old or the whole new content: written aside, flushed, renamed, and
// the folder flushed too.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { copyFile, link, open, rename } from "node:fs/promises"
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

/** Gives the file a second name, which costs no space; a copy if the file system does not support links. */
export const linkOrCopy = async (from: string, to: string): Promise<void> => {
  await link(from, to).catch(async (cause: unknown) => {
    if (!lacksLinks(cause)) throw cause
    await copyFile(from, to)
  })
}

/** The name of a file until it is written. */
export const asideOf = (path: string): string => `${path}.tmp`

/** The file gets the permissions `mode`, whatever the umask, and the `owner`, by default this process's user. */
export const writeDurably = async (
  path: string,
  content: string,
  mode = 0o600,
  owner?: { readonly uid: number; readonly gid: number },
): Promise<void> => {
  await makeFolder(dirname(path))
  const aside = asideOf(path)
  const handle = await open(aside, "w", 0o600)
  try {
    await handle.writeFile(content)
    const made = await handle.stat()
    const { uid, gid } = owner ?? made
    if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid)
    await handle.chmod(mode)
  } finally {
    await handle.close()
  }
  await putInPlace(aside, path)
}

/** Of the whole file, or of its first bytes. */
export const sha256Of = async (path: string, bytes = Infinity): Promise<string> => {
  const hash = createHash("sha256")
  const part = { highWaterMark: 1 << 20, end: bytes - 1 }
  // A stream has at least one byte to end at.
  if (bytes > 0) await pipeline(createReadStream(path, part), hash)
  return hash.digest("hex")
}
