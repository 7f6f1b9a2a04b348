// Folders that only their owner can access.
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { flushSync } from "./flush.ts"

/** Creates a folder and its parents if they are missing, flushed; only their owner can access them. */
export const makePrivateDirectory = (directory: string): void => {
  if (existsSync(directory)) {
    if (statSync(directory).isDirectory()) return
    throw Object.assign(new Error(`${directory} is not a folder`), { code: "ENOTDIR" })
  }
  const parent = dirname(directory)
  if (parent !== directory) makePrivateDirectory(parent)
  // One level at a time: with `recursive`, Node never stops trying in places such as /proc, where nothing can be
  // created.
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!existsSync(directory)) throw cause
  }
  flushSync(parent)
}
