// Flushes files and folders to the disk: a power cut may take the content of a file that was not flushed, and the names
// in a folder that was not.
import { closeSync, fsyncSync, openSync } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** Flushes the content of a file, or the names in a folder. */
export const flush = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const flushSync = (path: string): void => {
  const handle = openSync(path, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Creates a folder and its missing parents, flushed; only their owner can access them. */
export const makeFolder = async (folder: string): Promise<void> => {
  const wanted = resolve(folder)
  const first = await mkdir(wanted, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = wanted; made.length >= first.length; made = dirname(made)) {
    await flush(dirname(made))
  }
}
