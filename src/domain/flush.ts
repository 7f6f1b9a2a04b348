// Flushes files and folders to the disk: a power cut may take the content of a file that was not flushed, and the names
// in a folder that was not.
import { existsSync } from "node:fs"
import { mkdir, open, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { brokenLink } from "./brokenLink.ts"

/** Flushes the content of a file, or the names in a folder. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder and its missing parents, flushed; by default only their owner can access them. Throws `BrokenLink`. */
export const makeFolder = async (folder: string, mode = 0o700): Promise<void> => {
  const wanted = resolve(folder)
  const found = await stat(wanted).catch(() => undefined)
  if (found?.isDirectory() === true) return
  if (found !== undefined) {
    throw Object.assign(new Error(`${wanted} is not a folder`), { code: "ENOTDIR" })
  }
  const parent = dirname(wanted)
  if (parent !== wanted) await makeFolder(parent, mode)
  // One level at a time: with `recursive`, Node never stops trying in places such as /proc, where nothing can be created.
  try {
    await mkdir(wanted, { mode })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!existsSync(wanted)) throw brokenLink(wanted) ?? cause
  }
  await flush(parent)
}
